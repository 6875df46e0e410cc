/**
 * What a node is given by its surroundings: store, transport, time, codecs, peer selection, encryption keys. What a store and a
 * transport must hold to is in {@code EntryStoreContract} and {@code TransportContract}, among the tests of the core.
 */
@NullMarked
package io.georep.spi;

import org.jspecify.annotations.NullMarked;

/**
 * What the surroundings of a node supply: store, transport, time, codecs, peer selection. Each interface is a contract with a
 * contract test.
 */
@NullMarked
package io.georep.spi;

import org.jspecify.annotations.NullMarked;

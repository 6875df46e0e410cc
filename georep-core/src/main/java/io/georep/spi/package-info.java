/** What a host supplies: store, transport, time, peer selection. Each interface is a contract with a contract test. */
@NullMarked
package io.georep.spi;

import org.jspecify.annotations.NullMarked;

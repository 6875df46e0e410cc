/**
 * What a host supplies: store, transport, time, peer selection. Each interface is a contract with a contract test. And how
 * hosts tell of errors in code they call: {@link io.georep.spi.Complaint}.
 */
@NullMarked
package io.georep.spi;

import org.jspecify.annotations.NullMarked;

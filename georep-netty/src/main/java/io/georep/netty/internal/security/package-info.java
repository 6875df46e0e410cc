/** What protects connections and proves who is at the other end: TLS, or a shared secret. */
@NullMarked
package io.georep.netty.internal.security;

import org.jspecify.annotations.NullMarked;

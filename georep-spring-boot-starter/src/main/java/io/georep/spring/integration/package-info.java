/** Spring Integration flows that send to an outbox or begin with one. For applications that use Spring Integration. */
@NullMarked
package io.georep.spring.integration;

import org.jspecify.annotations.NullMarked;

/** What a node knows of the entries of one stream: who holds them, who has copies, what it owes to other owners. */
@NullMarked
package io.georep.outbox.core.stream;

import org.jspecify.annotations.NullMarked;

/** What nodes of maps tell each other, store, and are told. */
@NullMarked
package io.georep.funnel.core.messages;

import org.jspecify.annotations.NullMarked;

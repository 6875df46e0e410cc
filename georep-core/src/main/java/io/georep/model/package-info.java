/** Value types everyone shares: names, ids, states, settings and exceptions. Depends on nothing. */
@NullMarked
package io.georep.model;

import org.jspecify.annotations.NullMarked;

/** Value types that all packages share: names, ids, states, settings, figures and exceptions. */
@NullMarked
package io.georep.model;

import org.jspecify.annotations.NullMarked;

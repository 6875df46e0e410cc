/** Replicated maps as Spring applications see them: with codecs, as application events, and as caches. */
@NullMarked
package io.georep.spring.maps;

import org.jspecify.annotations.NullMarked;

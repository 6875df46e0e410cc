/** Makes responses over HTTP of failed sends: problem details, with status and {@code Retry-After}. */
@NullMarked
package io.georep.spring.boot.web;

import org.jspecify.annotations.NullMarked;

/** Health, meters and the endpoint; each backs off when its library is missing. */
@NullMarked
package io.georep.spring.boot.actuate;

import org.jspecify.annotations.NullMarked;

/** Failed sends as answers over HTTP. */
@NullMarked
package io.georep.spring.boot.web;

import org.jspecify.annotations.NullMarked;

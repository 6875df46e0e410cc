/** Sends the application events that Spring Modulith externalizes. Only here if Spring Modulith is on the class path. */
@NullMarked
package io.georep.spring.modulith;

import org.jspecify.annotations.NullMarked;

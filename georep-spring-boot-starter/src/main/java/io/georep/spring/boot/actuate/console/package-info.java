/** A page in the browser that shows the node: files, snapshots, and updates as server-sent events. */
@NullMarked
package io.georep.spring.boot.actuate.console;

import org.jspecify.annotations.NullMarked;

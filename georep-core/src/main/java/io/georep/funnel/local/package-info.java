/** What stands between replicated maps and the application on one node. */
@NullMarked
package io.georep.funnel.local;

import org.jspecify.annotations.NullMarked;

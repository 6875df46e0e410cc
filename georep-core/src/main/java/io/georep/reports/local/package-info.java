/** Connects the API of reports with their protocol on one node, and adds both to the node. */
@NullMarked
package io.georep.reports.local;

import org.jspecify.annotations.NullMarked;

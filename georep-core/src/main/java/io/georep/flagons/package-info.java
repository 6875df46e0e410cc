/**
 * Fleet maps: small values that thousands of nodes, which come and go, write and read in one order. There is no coordinator and no list
 * of members. What they promise holds with a high probability, not always.
 */
@NullMarked
package io.georep.flagons;

import org.jspecify.annotations.NullMarked;

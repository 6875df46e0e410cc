/**
 * The figures of the paper: how often it takes entries, how likely it is to lose one, who adopts when links or
 * nodes fail. Pure functions after the GeoRep paper (IEEE Access 10, 2022,
 * Sections III to V), with the misprints of equations (5) and (8) corrected. Depends on nothing but the JDK.
 */
@NullMarked
package io.georep.analysis;

import org.jspecify.annotations.NullMarked;

/** Faults put into the code one at a time, to see that some test notices each. Started by {@code .ci/mutants/run}. */
@org.jspecify.annotations.NullMarked
package io.georep.mutants;

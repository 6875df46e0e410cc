/** A store on the heap, with crashes on demand: for simulations, tutorials and the tests of applications. */
@NullMarked
package io.georep.store.memory;

import org.jspecify.annotations.NullMarked;

/** Child JVMs and the lines to them: started, watched, killed and always cleaned up. */
@NullMarked
package io.georep.bench.process;

import org.jspecify.annotations.NullMarked;

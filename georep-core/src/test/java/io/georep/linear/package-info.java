/** Histories of operations on single keys, and the question whether they are linearizable. */
package io.georep.linear;

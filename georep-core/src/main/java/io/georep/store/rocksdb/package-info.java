/** The durable store. The only package that may import {@code org.rocksdb}. */
@NullMarked
package io.georep.store.rocksdb;

import org.jspecify.annotations.NullMarked;

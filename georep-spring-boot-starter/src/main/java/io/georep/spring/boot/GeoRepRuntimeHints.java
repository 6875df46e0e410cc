package io.georep.spring.boot;

import io.georep.spi.TransportFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * Names for a native image what it cannot see: the transport that is found by name, and the native library of the
 * store, which is unpacked from the class path and calls back into its classes.
 */
final class GeoRepRuntimeHints implements RuntimeHintsRegistrar {
    private static final String[] CALLED_FROM_NATIVE_CODE = {
        "org.rocksdb.RocksDBException", "org.rocksdb.Status", "org.rocksdb.Status$Code", "org.rocksdb.Status$SubCode"
    };

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("META-INF/services/" + TransportFactory.class.getName());
        hints.reflection()
                .registerType(
                        TypeReference.of("io.georep.netty.NettyTransportFactory"),
                        MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
        hints.resources().registerPattern("librocksdbjni*");
        for (String name : CALLED_FROM_NATIVE_CODE) {
            if (ClassUtils.isPresent(name, classLoader)) {
                hints.jni()
                        .registerType(
                                TypeReference.of(name),
                                MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                                MemberCategory.INVOKE_DECLARED_METHODS);
            }
        }
    }
}

package io.georep.spring.outbox;

import io.georep.spi.CodecResolver;
import io.georep.spi.PayloadCodec;
import io.georep.spring.MisuseException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.ResolvableType;

/**
 * Finds how payloads are written: a {@link PayloadCodec} bean of the type, then {@code byte[]} and {@code String} as they
 * are, then {@link CodecResolver} beans, then JSON.
 */
public final class PayloadCodecs {
    private final BeanFactory beans;
    private final ObjectProvider<CodecResolver> resolvers;
    private final ObjectProvider<JsonCodecs> json;

    public PayloadCodecs(BeanFactory beans, ObjectProvider<CodecResolver> resolvers, ObjectProvider<JsonCodecs> json) {
        this.beans = beans;
        this.resolvers = resolvers;
        this.json = json;
    }

    /**
     * Returns the codec of a type.
     *
     * @param user who needs it, for the error
     * @throws io.georep.model.GeoRepException when there is none
     */
    public PayloadCodec<?> codec(String user, ResolvableType type) {
        PayloadCodec<?> own = ownCodec(type);
        if (own != null) {
            return own;
        }
        Class<?> raw = type.resolve();
        if (raw != null && !type.hasGenerics()) {
            PayloadCodec<?> simple = CodecResolver.builtIn().resolve(raw);
            if (simple != null) {
                return simple;
            }
            for (CodecResolver resolver : resolvers.orderedStream().toList()) {
                PayloadCodec<?> resolved = resolver.resolve(raw);
                if (resolved != null) {
                    return resolved;
                }
            }
        }
        JsonCodecs anything = json.getIfAvailable();
        if (anything == null || raw == null || raw == Object.class) {
            throw new MisuseException(
                    user + ": nothing can write " + type,
                    "Add org.springframework.boot:spring-boot-starter-jackson to send JSON (of several JsonMapper beans, mark"
                            + " one as @Primary), declare a bean of type PayloadCodec<" + type
                            + ">, or send byte[] or String.");
        }
        return anything.codec(type);
    }

    private @Nullable PayloadCodec<?> ownCodec(ResolvableType type) {
        ResolvableType wanted = ResolvableType.forClassWithGenerics(PayloadCodec.class, type);
        return (PayloadCodec<?>) beans.getBeanProvider(wanted).getIfAvailable();
    }
}

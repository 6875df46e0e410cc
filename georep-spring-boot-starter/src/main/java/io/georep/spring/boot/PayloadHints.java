package io.georep.spring.boot;

import io.georep.outbox.Outbox;
import io.georep.spring.ReplicatedQueue;
import java.lang.reflect.Executable;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * Makes payloads of injected outboxes and elements of replicated queues readable and writable as JSON in a native
 * image. Listener methods do the same for their payloads, but an application may send what another one forwards.
 */
final class PayloadHints implements BeanRegistrationAotProcessor {
    /** How many types may be around that of an outbox. */
    private static final int PROVIDERS_MAX = 8;

    private static final Logger LOG = LoggerFactory.getLogger(PayloadHints.class);

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Set<Type> payloads = new LinkedHashSet<>();
        addElements(bean, payloads);
        addOutboxes(bean, payloads);
        if (payloads.isEmpty()) {
            return null;
        }
        return (generation, code) -> binding.registerReflectionHints(
                generation.getRuntimeHints().reflection(), payloads.toArray(new Type[0]));
    }

    private static void addElements(RegisteredBean bean, Set<Type> payloads) {
        if (bean.getBeanFactory().findAnnotationOnBean(bean.getBeanName(), ReplicatedQueue.class, false) != null) {
            add(bean.getBeanType().as(BlockingQueue.class).getGeneric(0), payloads);
        }
    }

    private static void addOutboxes(RegisteredBean bean, Set<Type> payloads) {
        Executable factory = bean.getMergedBeanDefinition().getResolvedFactoryMethod();
        if (factory != null) {
            addParameters(factory, payloads);
        }
        try {
            addOutboxes(bean.getBeanClass(), payloads);
        } catch (IllegalStateException | NoClassDefFoundError e) {
            // Some class of a library mentions types that are absent here; classes of the application do not.
            LOG.debug("No hints for outboxes in bean '{}'", bean.getBeanName(), e);
        }
    }

    /** Looks wherever an outbox may be injected: constructors, methods and fields. */
    private static void addOutboxes(Class<?> type, Set<Type> payloads) {
        for (Executable constructor : type.getDeclaredConstructors()) {
            addParameters(constructor, payloads);
        }
        ReflectionUtils.doWithMethods(type, method -> addParameters(method, payloads));
        ReflectionUtils.doWithFields(type, field -> addOutbox(ResolvableType.forField(field), payloads));
    }

    private static void addParameters(Executable executable, Set<Type> payloads) {
        for (Type parameter : executable.getGenericParameterTypes()) {
            addOutbox(ResolvableType.forType(parameter), payloads);
        }
    }

    /**
     * The type may be the outbox itself, a provider of it, a provider of an optional outbox, and so on. A type may also
     * contain itself.
     */
    private static void addOutbox(ResolvableType type, Set<Type> payloads) {
        ResolvableType inner = type;
        for (int depth = 0; depth < PROVIDERS_MAX; depth++) {
            if (inner.resolve() == Outbox.class) {
                add(inner.getGeneric(0), payloads);
                return;
            }
            if (!inner.hasGenerics()) {
                return;
            }
            inner = inner.getGeneric(0);
        }
    }

    private static void add(ResolvableType payload, Set<Type> payloads) {
        if (payload.resolve() != null && !payload.hasUnresolvableGenerics()) {
            payloads.add(payload.getType());
        }
    }
}

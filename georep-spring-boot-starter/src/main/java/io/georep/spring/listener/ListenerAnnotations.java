package io.georep.spring.listener;

import io.georep.model.ConfigurationException;
import io.georep.model.GeoRepException;
import io.georep.spring.AckMode;
import io.georep.spring.MisuseException;
import io.georep.spring.OnAdoption;
import io.georep.spring.OutboxErrorHandler;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxRetry;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.EmbeddedValueResolverAware;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.StringValueResolver;

/**
 * Finds methods with {@link OutboxListener} and {@link OnAdoption}. They are registered when all singletons exist, so
 * that no outbox is opened, and the node is not started, earlier than other beans need it.
 */
public final class ListenerAnnotations
        implements BeanPostProcessor,
                SmartInitializingSingleton,
                BeanFactoryAware,
                EmbeddedValueResolverAware,
                Ordered {
    private final Set<Class<?>> withoutAnnotations = ConcurrentHashMap.newKeySet();
    private final List<Runnable> found = new ArrayList<>();
    private final ObjectProvider<ListenerRegistry> registry;
    private final ObjectProvider<ListenerValues.Source> source;
    private @Nullable BeanFactory beans;
    private @Nullable StringValueResolver placeholders;
    private boolean singletonsExist;

    public ListenerAnnotations(
            ObjectProvider<ListenerRegistry> registry, ObjectProvider<ListenerValues.Source> source) {
        this.registry = registry;
        this.source = source;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans = beanFactory;
    }

    @Override
    public void setEmbeddedValueResolver(StringValueResolver resolver) {
        placeholders = resolver;
    }

    /** After proxies were made. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    /** Returns whether a class has annotated methods. */
    public static boolean areIn(@Nullable Class<?> type) {
        return type != null && !(listeners(type).isEmpty() && adoptions(type).isEmpty());
    }

    private static Map<Method, OutboxListener> listeners(Class<?> type) {
        return !AnnotationUtils.isCandidateClass(type, OutboxListener.class)
                ? Map.of()
                : MethodIntrospector.selectMethods(
                        type,
                        (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxListener.class));
    }

    private static Map<Method, OnAdoption> adoptions(Class<?> type) {
        return !AnnotationUtils.isCandidateClass(type, OnAdoption.class)
                ? Map.of()
                : MethodIntrospector.selectMethods(
                        type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, OnAdoption.class));
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        if (withoutAnnotations.contains(type)) {
            return bean;
        }
        if (!areIn(type)) {
            withoutAnnotations.add(type);
        } else if (!isOneOfMany(beanName)) {
            listeners(type).forEach((method, annotation) -> later(() -> listener(bean, type, method, annotation)));
            adoptions(type).forEach((method, annotation) -> later(() -> adoption(bean, type, method, annotation)));
        }
        return bean;
    }

    /** Objects of other scopes come and go. Their proxy, which is a singleton, listens for them. */
    private boolean isOneOfMany(String beanName) {
        BeanFactory factory = beans;
        return factory != null && factory.containsBean(beanName) && !factory.isSingleton(beanName);
    }

    private synchronized void later(Runnable registration) {
        if (singletonsExist) {
            registration.run();
        } else {
            found.add(registration);
        }
    }

    @Override
    public synchronized void afterSingletonsInstantiated() {
        List<GeoRepException> mistakes = new ArrayList<>();
        if (beans instanceof ConfigurableListableBeanFactory factory) {
            for (String name : factory.getBeanDefinitionNames()) {
                if (isOneOfMany(name) && areIn(factory.getType(name, false))) {
                    gather(mistakes, () -> findProxy(factory, name));
                }
            }
        }
        singletonsExist = true;
        found.forEach(registration -> gather(mistakes, registration));
        found.clear();
        MisuseException.throwIfAny(mistakes);
    }

    private static void gather(List<GeoRepException> mistakes, Runnable registration) {
        try {
            registration.run();
        } catch (GeoRepException e) {
            mistakes.add(e);
        }
    }

    /** Creates the scoped proxy of a bean with listeners, because nothing else may ever ask for it. */
    private static void findProxy(ConfigurableListableBeanFactory factory, String name) {
        if (!ScopedProxyUtils.isScopedTarget(name)) {
            throw new ConfigurationException("bean '" + name
                    + "' has methods with @OutboxListener or @OnAdoption, but its"
                    + " scope is '" + factory.getBeanDefinition(name).getScope() + "': nobody could say which of its"
                    + " objects listens. Make it a singleton, or move the methods to one.");
        }
        factory.getBean(ScopedProxyUtils.getOriginalBeanName(name));
    }

    private void listener(Object bean, Class<?> type, Method method, OutboxListener annotation) {
        ArgumentPlan.Kind kind = annotation.batch() ? ArgumentPlan.Kind.BATCH : ArgumentPlan.Kind.SINGLE;
        ListenerMethod callable =
                new ListenerMethod(bean, type, method, invocable(bean, method), kind, annotation.ackMode());
        ListenerSettings settings;
        try {
            settings = settings(annotation, method);
            settings.check();
        } catch (ConfigurationException e) {
            throw new MisuseException(
                    method.toGenericString(),
                    e,
                    "Correct the attribute of @OutboxListener, or the property of that name under"
                            + " georep.outboxes.<queue> or georep.listener, whichever says so.");
        }
        registry.getObject().add(callable, settings);
    }

    private void adoption(Object bean, Class<?> type, Method method, OnAdoption annotation) {
        ListenerMethod callable = new ListenerMethod(
                bean, type, method, invocable(bean, method), ArgumentPlan.Kind.ADOPTION, AckMode.AUTO);
        registry.getObject().addAdoption(queue(annotation.value(), method, "@OnAdoption"), callable);
    }

    private static Method invocable(Object bean, Method method) {
        try {
            return AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new MisuseException(
                    method,
                    "its bean is a proxy on which the method cannot be called",
                    "Make the method public and, when the proxy implements interfaces only, part of one of them.");
        }
    }

    private ListenerSettings settings(OutboxListener annotation, Method method) {
        String queue = queue(annotation.queue(), method, "@OutboxListener");
        String id = resolved(annotation.id());
        ListenerValues.Source properties = source.getObject();
        OutboxRetry retry = annotation.retry();
        ListenerValues own = new ListenerValues(
                parsed("autoStartup", annotation.autoStartup(), ListenerAnnotations::bool),
                parsed("concurrency", annotation.concurrency(), Integer::valueOf),
                parsed("window", annotation.window(), Integer::valueOf),
                parsed("batchMax", annotation.batchMax(), Integer::valueOf),
                new RetryValues(
                        parsed("retry.delayMin", retry.delayMin(), DurationStyle::detectAndParse),
                        parsed("retry.delayMax", retry.delayMax(), DurationStyle::detectAndParse),
                        parsed("retry.factor", retry.factor(), Double::valueOf),
                        parsed("retry.jitter", retry.jitter(), Double::valueOf),
                        parsed("retry.attempts", retry.attempts(), Integer::valueOf)));
        ListenerValues all = properties.queue(queue).or(own).or(properties.defaults());
        return new ListenerSettings(
                id.isEmpty() ? queue : id,
                queue,
                annotation.batch(),
                annotation.ackMode() == AckMode.MANUAL,
                all.autoStartup() == null || all.autoStartup(),
                all.concurrency() == null ? 1 : all.concurrency(),
                all.window() == null ? 100 : all.window(),
                all.batchMax() == null ? 100 : all.batchMax(),
                all.retry().policy().retryOn(retry.retryOn()).neverOn(retry.neverOn()),
                errorHandler(resolved(annotation.errorHandler()), method));
    }

    private @Nullable OutboxErrorHandler errorHandler(String name, Method method) {
        if (name.isEmpty()) {
            return null;
        }
        BeanFactory factory = beans;
        if (factory == null || !factory.containsBean(name) || !factory.isTypeMatch(name, OutboxErrorHandler.class)) {
            throw new MisuseException(
                    method,
                    "there is no error handler named '" + name + "'",
                    "Declare a bean of type " + OutboxErrorHandler.class.getName() + " with that name.");
        }
        return factory.getBean(name, OutboxErrorHandler.class);
    }

    private String queue(String given, Method method, String annotation) {
        String queue = resolved(given);
        if (queue.isBlank()) {
            throw new MisuseException(
                    method,
                    annotation + " does not name a queue",
                    "Write the name, for example " + annotation + "(\"sms\").");
        }
        return queue;
    }

    private String resolved(String text) {
        StringValueResolver resolver = placeholders;
        String value = resolver == null ? text : resolver.resolveStringValue(text);
        return value == null ? "" : value;
    }

    private <V> @Nullable V parsed(String attribute, String text, Function<String, V> parser) {
        String value = resolved(text).trim();
        if (value.isEmpty()) {
            return null;
        }
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException("@OutboxListener " + attribute + " is '" + value + "'"
                    + (value.equals(text) ? "" : " (from '" + text + "')") + ", which is not valid: " + e.getMessage());
        }
    }

    private static Boolean bool(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("allowed are true and false");
        }
        return Boolean.valueOf(text);
    }
}

package io.georep.spring.queue;

import io.georep.GeoRepNode;
import io.georep.outbox.Outbox;
import io.georep.spring.MisuseException;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.ResolvableType;

/**
 * Replaces queues with {@link ReplicatedQueue} by replicated ones. They begin to fill before the web server starts, and
 * stop after it, like listeners.
 */
public final class ReplicatedQueues implements BeanPostProcessor, BeanFactoryAware, SmartLifecycle {
    private final ObjectProvider<GeoRepNode> node;
    private final ObjectProvider<Outboxes> outboxes;
    private final ObjectProvider<OutboxListeners> listeners;
    private final ObjectProvider<StopTimeout> stopTimeout;
    private final int phase;
    private final List<ReplicatedQueueBean<?>> queues = new CopyOnWriteArrayList<>();
    private @Nullable ConfigurableListableBeanFactory beans;
    private volatile boolean running;

    /**
     * How long a stop waits.
     *
     * @param value longest time queues wait for elements in the hands of consumers
     */
    public record StopTimeout(Duration value) {}

    /** No queues yet. */
    public ReplicatedQueues(
            ObjectProvider<GeoRepNode> node,
            ObjectProvider<Outboxes> outboxes,
            ObjectProvider<OutboxListeners> listeners,
            ObjectProvider<StopTimeout> stopTimeout,
            int phase) {
        this.node = node;
        this.outboxes = outboxes;
        this.listeners = listeners;
        this.stopTimeout = stopTimeout;
        this.phase = phase;
    }

    /** Returns whether this is a queue's @Bean method. */
    public static boolean isReplicated(BeanDefinition definition) {
        return definition instanceof AnnotatedBeanDefinition annotated
                && annotated.getFactoryMethodMetadata() != null
                && annotated.getFactoryMethodMetadata().isAnnotated(ReplicatedQueue.class.getName());
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans = (ConfigurableListableBeanFactory) beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        ConfigurableListableBeanFactory factory = beans;
        if (factory == null || bean instanceof ReplicatedQueueBean || !factory.containsBeanDefinition(beanName)) {
            return bean;
        }
        ReplicatedQueue annotation = factory.findAnnotationOnBean(beanName, ReplicatedQueue.class, false);
        if (annotation == null) {
            return bean;
        }
        BeanDefinition definition = factory.getMergedBeanDefinition(beanName);
        if (!(bean instanceof BlockingQueue<?> queue)) {
            throw new MisuseException(
                    "bean '" + beanName + "' has @ReplicatedQueue, but is a "
                            + bean.getClass().getName(),
                    "Put the annotation on a @Bean method that returns a BlockingQueue.");
        }
        if (queue.remainingCapacity() == 0 || !queue.isEmpty()) {
            throw new MisuseException(
                    "queue '" + beanName + "' has no room for elements, or some before it is replicated: "
                            + queue.size() + " elements, room for " + queue.remainingCapacity(),
                    "Let the @Bean method return an empty queue that holds at least one element, for example"
                            + " new LinkedBlockingQueue<>(1000); a SynchronousQueue cannot be replicated.");
        }
        ReplicatedQueueBean<?> replicated =
                replicated(queue, name(annotation, beanName, factory), annotation, definition);
        queues.add(replicated);
        if (running) {
            start(replicated);
        }
        return replicated;
    }

    private void start(ReplicatedQueueBean<?> queue) {
        OutboxListeners all = listeners.getIfAvailable();
        for (OutboxListeners.Container listener : all == null ? List.<OutboxListeners.Container>of() : all.all()) {
            if (listener.queue().equals(queue.name())) {
                throw new MisuseException(
                        "queue '" + queue.name() + "' is a BlockingQueue with @ReplicatedQueue and has a listener: "
                                + listener,
                        "Take the elements from the BlockingQueue, or remove @ReplicatedQueue, send through an"
                                + " Outbox and keep the listener. Two different consumers of the same entries need two"
                                + " queues.");
            }
        }
        queue.start();
    }

    private static String name(ReplicatedQueue annotation, String beanName, ConfigurableListableBeanFactory factory) {
        String name = factory.resolveEmbeddedValue(annotation.name());
        return name == null || name.isBlank() ? beanName : name;
    }

    @SuppressWarnings("unchecked")
    private <T> ReplicatedQueueBean<T> replicated(
            BlockingQueue<T> queue, String name, ReplicatedQueue annotation, BeanDefinition definition) {
        ResolvableType element =
                definition.getResolvableType().as(BlockingQueue.class).getGeneric(0);
        if (element.resolve() == null || element.hasUnresolvableGenerics()) {
            throw new MisuseException(
                    "the type of the elements of queue '" + name + "' is not known: " + definition.getResolvableType(),
                    "Let the @Bean method return BlockingQueue with the type of its elements, for example"
                            + " BlockingQueue<Sms>.");
        }
        Outboxes all = outboxes.getObject();
        if (annotation.f() >= 0) {
            all.wantF(name, annotation.f());
        }
        GeoRepNode running = node.getObject();
        return new ReplicatedQueueBean<>((Outbox<T>) all.outbox(name, element), queue, running::onApplicationThread);
    }

    @Override
    public void start() {
        running = true;
        queues.forEach(this::start);
    }

    @Override
    public void stop() {
        running = false;
        if (!queues.isEmpty()) {
            long deadline = System.nanoTime() + stopTimeout.getObject().value().toNanos();
            queues.forEach(queue -> queue.stop(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))));
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }
}

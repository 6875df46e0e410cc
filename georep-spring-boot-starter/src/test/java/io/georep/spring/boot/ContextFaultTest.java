package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedQueue;
import io.georep.spring.listener.HandlerAdvice;
import io.georep.spring.observation.ForwardContext;
import io.georep.spring.observation.ForwardConvention;
import io.georep.spring.observation.ObservedHandlers;
import io.georep.spring.observation.ObservedSends;
import io.georep.spring.observation.SendContext;
import io.georep.spring.observation.SendConvention;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.BeanDefinitionReaderUtils;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.SimpleThreadScope;
import tools.jackson.databind.json.JsonMapper;

/** Contexts that are lazy, have parents, or more than one bean of a kind. */
class ContextFaultTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void lazyInitializationLeavesListenersAndQueuesAlone() {
        TestApplication.alone()
                .withUserConfiguration(LazyBeans.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    assertThat(context.getBean(OutboxListeners.class).byId("plain"))
                            .isNotNull();
                    assertThat(context.getBean(Outboxes.class).names()).contains("plain", "lazyQueue");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBeans {
        @Bean
        Plain plain() {
            return new Plain();
        }

        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> lazyQueue() {
            return new LinkedBlockingQueue<>();
        }
    }

    static class Plain {
        private final List<String> seen = new CopyOnWriteArrayList<>();

        List<String> seen() {
            return seen;
        }

        @OutboxListener("plain")
        void forward(String payload) {
            seen.add(payload);
        }
    }

    @Test
    void aChildContextLeavesTheNodeOfItsParentRunning() {
        TestApplication.alone().withBean(Plain.class).run(parent -> {
            TestApplication.alone().withParent(parent).withBean(Child.class).run(child -> {
                assertThat(child.getBean(GeoRepNode.class)).isSameAs(parent.getBean(GeoRepNode.class));
                send(child, "child");
                Awaitility.await()
                        .atMost(SOON)
                        .until(() -> child.getBean(Child.class).seen.contains("child"));
            });

            assertThat(parent.getBean(GeoRepNode.class).state()).isEqualTo(NodeState.RUNNING);
            assertThat(parent.getBean(OutboxListeners.class).all()).hasSize(1);
            send(parent, "plain");
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> parent.getBean(Plain.class).seen.contains("plain"));
            // The next child may listen to the queue of the last one.
            TestApplication.alone().withParent(parent).withBean(Child.class).run(child -> {
                send(child, "child");
                Awaitility.await()
                        .atMost(SOON)
                        .until(() -> child.getBean(Child.class).seen.contains("child"));
            });
        });
    }

    static class Child {
        private final List<String> seen = new CopyOnWriteArrayList<>();

        @OutboxListener("child")
        void forward(String payload) {
            seen.add(payload);
        }
    }

    @Test
    void aScopedBeanListensThroughItsProxy() {
        TestApplication.alone()
                .withInitializer(context -> scoped(context, Plain.class))
                .run(context -> {
                    assertThat(context.getStartupFailure()).isNull();
                    assertThat(context.getBean(OutboxListeners.class).all()).hasSize(1);
                    Outbox<String> outbox = context.getBean(Outboxes.class).outbox("plain", String.class);
                    outbox.sendAndWait("x", SOON);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> outbox.statistics().forwarded() == 1);
                    // Another thread, another object.
                    assertThat(((Plain) context.getBean("scoped")).seen()).isEmpty();
                });
    }

    private static void scoped(ConfigurableApplicationContext context, Class<?> type) {
        DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
        beans.registerScope("thread", new SimpleThreadScope());
        RootBeanDefinition definition = new RootBeanDefinition(type);
        definition.setScope("thread");
        BeanDefinitionReaderUtils.registerBeanDefinition(
                ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(definition, "scoped"), beans, true), beans);
    }

    @Test
    void aPrototypeIsRefusedWithARemedy() {
        TestApplication.alone()
                .withBean("plain", Plain.class, Plain::new, definition -> definition.setScope("prototype"))
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure())
                            .hasMessageContaining("plain")
                            .hasMessageContaining("prototype");
                });
    }

    @Test
    void twoMappersDoNotBreakTheStart() {
        TestApplication.alone()
                .withBean("first", JsonMapper.class, JsonMapper::new)
                .withBean("second", JsonMapper.class, JsonMapper::new)
                .withBean(Plain.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    send(context, "plain");
                });
    }

    @Test
    void twoAdvicesAreBothAsked() {
        List<String> begun = new CopyOnWriteArrayList<>();
        TestApplication.alone()
                .withBean("first", HandlerAdvice.class, () -> recording("first", begun))
                .withBean("second", HandlerAdvice.class, () -> recording("second", begun))
                .withBean(Plain.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    send(context, "plain");
                    Awaitility.await().atMost(SOON).until(() -> begun.size() == 6);
                    assertThat(begun)
                            .containsExactly(
                                    "first begins",
                                    "second begins",
                                    "second leaves",
                                    "first leaves",
                                    "second ends",
                                    "first ends");
                });
    }

    /** The listener has done its work by then: to do it again and again would not mend the advice. */
    @Test
    void anAdviceThatFailsAtTheEndOfACallFailsNoEntry() {
        TestApplication.alone()
                .withBean("broken", HandlerAdvice.class, () -> (queue, listener, deliveries) -> broken())
                .withBean(Plain.class)
                .run(context -> {
                    send(context, "plain");
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> outbox(context).statistics().delivered() == 1);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> outbox(context).statistics().active() == 0);
                    assertThat(outbox(context).statistics().failedAttempts()).isZero();
                    assertThat(outbox(context).statistics().forwarded()).isEqualTo(1);
                });
    }

    private static HandlerAdvice.Call broken() {
        return new HandlerAdvice.Call() {
            @Override
            public void ended(Throwable error) {
                throw new IllegalStateException("cannot end");
            }

            @Override
            public void close() {
                throw new IllegalStateException("cannot leave");
            }
        };
    }

    private static final ForwardConvention BAD_FORWARDS = new ForwardConvention() {
        @Override
        public KeyValues getLowCardinalityKeyValues(ForwardContext context) {
            throw new IllegalStateException("cannot name it");
        }
    };

    private static final SendConvention BAD_SENDS = new SendConvention() {
        @Override
        public KeyValues getLowCardinalityKeyValues(SendContext context) {
            throw new IllegalStateException("cannot name it");
        }
    };

    /** Whoever watches keeps nobody from sending and forwarding. */
    @ParameterizedTest
    @ValueSource(classes = {HandlerAdvice.class, SendInterceptor.class})
    <T> void aConventionThatFailsLeavesACallUnobserved(Class<T> kind) {
        ObservationRegistry watched = ObservationRegistry.create();
        watched.observationConfig().observationHandler(context -> true);
        TestApplication.alone()
                .withBean(
                        kind,
                        () -> kind.cast(
                                kind == HandlerAdvice.class
                                        ? new ObservedHandlers(watched, BAD_FORWARDS)
                                        : new ObservedSends(watched, BAD_SENDS)))
                .withBean(Plain.class)
                .run(context -> {
                    send(context, "plain");
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> outbox(context).statistics().forwarded() == 1);
                });
    }

    /** Who makes a bean holds a lock of the context, and others that ask for outboxes may hold that one. */
    @Test
    void beansOfAnOutboxAreMadeWhileOthersMayAskForOutboxes() {
        AtomicReference<Outboxes> outboxes = new AtomicReference<>();
        SendInterceptor plain = new SendInterceptor() {
            @Override
            public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
                return next.send(call);
            }
        };
        TestApplication.alone()
                .withBean(
                        "lazy",
                        SendInterceptor.class,
                        () -> {
                            CompletableFuture.supplyAsync(() -> outboxes.get().names())
                                    .orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
                                    .join();
                            return plain;
                        },
                        definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    outboxes.set(context.getBean(Outboxes.class));
                    assertThat(outbox(context)).isSameAs(outbox(context));
                });
    }

    private static Outbox<String> outbox(ApplicationContext context) {
        return context.getBean(Outboxes.class).outbox("plain", String.class);
    }

    private static HandlerAdvice recording(String name, List<String> told) {
        return (queue, listener, deliveries) -> {
            told.add(name + " begins");
            return new HandlerAdvice.Call() {
                @Override
                public void ended(Throwable error) {
                    told.add(name + " ends");
                }

                @Override
                public void close() {
                    told.add(name + " leaves");
                }
            };
        };
    }

    private static void send(ApplicationContext context, String queue) {
        context.getBean(Outboxes.class).outbox(queue, String.class).sendAndWait(queue, SOON);
    }
}

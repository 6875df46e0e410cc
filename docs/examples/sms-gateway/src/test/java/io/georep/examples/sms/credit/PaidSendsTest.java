package io.georep.examples.sms.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.Refusal;
import io.georep.examples.sms.Sms;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** What becomes of the held entry of a message, whatever the reservation says. */
final class PaidSendsTest {
    private static final Sms SMS = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), "x", false);
    private static final EntryId ID = EntryId.parse("ams-1:7:0:3");
    private static final NodeId AMS = NodeId.of("ams-1");

    private final CompletableFuture<EntryId> copied = new CompletableFuture<>();
    private final CompletableFuture<Outcome> charged = new CompletableFuture<>();
    private final List<Object> charges = new ArrayList<>();
    private final List<String> decisions = new ArrayList<>();
    private volatile NodeId leader = AMS;

    private final OrderedMaps maps = proxy(OrderedMaps.class, (proxy, method, arguments) -> {
        if (method.getName().equals("call")) {
            charges.add(arguments[1]);
            return charged;
        }
        return leader == null
                ? CompletableFuture.failedFuture(new ClosedException("x"))
                : CompletableFuture.completedFuture(
                        new OrderedMapsStatistics(List.of(led()), 0, 0, 0, 0, 0, 0, 1, false));
    });

    @SuppressWarnings("unchecked")
    private final Outbox<Sms> outbox = proxy(Outbox.class, (proxy, method, arguments) -> {
        if (method.getName().equals("decide")) {
            decisions.add(((Collection<EntryId>) arguments[0]) + " " + arguments[1]);
            return null;
        }
        assertThat(method.getName()).isEqualTo("prepare");
        return copied;
    });

    private final StaticListableBeanFactory beans = new StaticListableBeanFactory();
    private final Credit credit;
    private final PaidSends sends;

    PaidSendsTest() {
        beans.addBean("maps", maps);
        credit = new Credit(beans.getBeanProvider(OrderedMaps.class));
        sends = new PaidSends(outbox, credit, new SimpleMeterRegistry());
        Await.until("the leader to be known", credit::isAvailable);
    }

    @AfterEach
    void stop() {
        credit.destroy();
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<?> type, InvocationHandler calls) {
        return (T) Proxy.newProxyInstance(PaidSendsTest.class.getClassLoader(), new Class<?>[] {type}, calls);
    }

    /** A group with a leader; the rest is nothing. */
    private static OrderedMapsStatistics.Group led() throws ReflectiveOperationException {
        Constructor<?> constructor = OrderedMapsStatistics.Group.class.getDeclaredConstructors()[0];
        Object[] arguments = Stream.of(constructor.getParameterTypes())
                .map(type -> type == NodeId.class
                        ? AMS
                        : type == List.class ? List.of(AMS) : Array.get(Array.newInstance(type, 1), 0))
                .toArray();
        return (OrderedMapsStatistics.Group) constructor.newInstance(arguments);
    }

    private CompletableFuture<EntryId> send() {
        return sends.send("shop", SMS, SendOptions.defaults()).toCompletableFuture();
    }

    private static void assertFailed(CompletableFuture<EntryId> sent, Refusal refusal) {
        assertThatThrownBy(sent::join)
                .satisfies(error -> assertThat(Refusal.of(error)).isEqualTo(refusal));
    }

    @Test
    void aMessageIsReleasedAndAcknowledgedWhenItIsCopiedAndPaid() {
        CompletableFuture<EntryId> sent = send();
        assertThat(charges).as("not before it is copied").isEmpty();
        copied.complete(ID);
        assertThat(charges).containsExactly(new Order("shop", ID.toString(), 1, 0));
        assertThat(decisions).isEmpty();
        assertThat(sent).isNotDone();

        charged.complete(Outcome.DONE);

        assertThat(sent).isCompletedWithValue(ID);
        assertThat(decisions).containsExactly("[" + ID + "] true");
    }

    @Test
    void aMessageThatCannotBePaidIsWithdrawn() {
        copied.complete(ID);
        charged.complete(Outcome.NOT_ENOUGH);

        assertFailed(send(), Refusal.NO_CREDIT);
        assertThat(decisions).containsExactly("[" + ID + "] false");
    }

    @Test
    void aMessageThatIsKnownNotToBePaidIsWithdrawn() {
        copied.complete(ID);
        charged.completeExceptionally(new RejectedException(RejectedException.Reason.QUEUE_FULL, "x"));
        assertFailed(send(), Refusal.SLOW_DOWN);
        charged.obtrudeException(new ClosedException("x"));
        assertFailed(send(), Refusal.UNAVAILABLE);
        charged.obtrudeValue(Outcome.NONE);
        assertFailed(send(), Refusal.UNAVAILABLE);

        assertThat(decisions).hasSize(3).containsOnly("[" + ID + "] false");
    }

    @Test
    void aMessageThatMayBePaidIsHeld() {
        copied.complete(ID);
        charged.completeExceptionally(new IndeterminateException("x"));
        assertFailed(send(), Refusal.UNKNOWN_OUTCOME);
        charged.obtrudeException(new IllegalStateException("the result cannot be read"));
        assertFailed(send(), Refusal.UNKNOWN_OUTCOME);

        assertThat(decisions).isEmpty();
    }

    @Test
    void aMessageThatIsNotCopiedIsNotPaid() {
        copied.completeExceptionally(new RejectedException(RejectedException.Reason.TOO_FEW_PEERS, "x"));

        assertFailed(send(), Refusal.UNAVAILABLE);
        assertThat(charges).isEmpty();
    }

    @Test
    void nothingIsStoredWhileNothingCanBeReserved() {
        leader = null;
        Await.until("the gateway to know", () -> !credit.isAvailable());
        assertThatThrownBy(this::send).isInstanceOf(OrderedMapUnavailableException.class);

        Credit none = new Credit(new StaticListableBeanFactory().getBeanProvider(OrderedMaps.class));
        assertThatThrownBy(() -> new PaidSends(outbox, none, new SimpleMeterRegistry())
                        .send("shop", SMS, SendOptions.defaults()))
                .hasMessageContaining("profile 'credit'");
        none.destroy();
    }
}

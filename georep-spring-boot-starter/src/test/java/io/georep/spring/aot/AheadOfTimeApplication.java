package io.georep.spring.aot;

import io.georep.GeoRepNode;
import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.EntryHeader;
import io.georep.spring.GeoRepConnectionDetails;
import io.georep.spring.OnAdoption;
import io.georep.spring.OutboxErrorHandler;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.OutboxRetry;
import io.georep.spring.ReplicatedQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

/** An application that uses all of the starter; processed ahead of time, and run, by {@link AheadOfTimeIT}. */
@SpringBootApplication
class AheadOfTimeApplication {
    static final List<String> ADDRESSES = new CopyOnWriteArrayList<>();

    /** Payload of an outbox: written and read by reflection. */
    record Order(String customer, List<Line> lines) {}

    /** Reached only through the payload. */
    record Line(String article, int count) {}

    /** Payload of a queue: no listener mentions it. */
    record Letter(String to) {}

    /** Payload of an injected outbox without a listener in this application. */
    record Invoice(String number) {}

    public static void main(String[] arguments) throws Exception {
        AheadOfTimeStory.tell(arguments);
    }

    @Bean
    GeoRepConnectionDetails seeds() {
        return () -> List.copyOf(ADDRESSES);
    }

    @Bean
    @ReplicatedQueue(f = 1)
    BlockingQueue<Letter> letters() {
        return new LinkedBlockingQueue<>(10);
    }

    /** The bound of its type contains the type itself. */
    static class Highest {
        <T extends Comparable<T>> T of(T one, T other) {
            return one.compareTo(other) < 0 ? other : one;
        }
    }

    @Bean
    Highest highest() {
        return new Highest();
    }

    @Bean
    OutboxErrorHandler verdict() {
        return (delivery, error) -> OutboxErrorHandler.Decision.DISCARD;
    }

    @Bean
    Orders orders(
            @OutboxName("${queue:orders}") Outbox<Order> outbox, @OutboxName("invoices") Outbox<Invoice> invoices) {
        return new Orders(outbox, invoices);
    }

    @Bean
    Consumer consumer() {
        return new Consumer();
    }

    @Bean
    FieldInjected fieldInjected() {
        return new FieldInjected();
    }

    /** Behind a proxy that is generated ahead of time as well. */
    @Transactional
    static class Orders {
        private final Outbox<Order> outbox;
        private final Outbox<Invoice> invoices;

        Orders(Outbox<Order> outbox, Outbox<Invoice> invoices) {
            this.outbox = outbox;
            this.invoices = invoices;
        }

        /** Sends inside the transaction, and lets it fail when there is nothing to deliver. */
        void place(Order order) {
            outbox.send(order);
            if (order.lines().isEmpty()) {
                throw new IllegalStateException("nothing to deliver");
            }
        }

        void bill(String number) {
            invoices.send(new Invoice(number));
        }
    }

    /** Not public, and neither are its methods. */
    static class Consumer {
        final BlockingQueue<Delivery<Order>> orders = new LinkedBlockingQueue<>();
        final BlockingQueue<Acknowledgement> inHand = new LinkedBlockingQueue<>();
        final BlockingQueue<Adoption<Order>> adoptions = new LinkedBlockingQueue<>();
        final BlockingQueue<String> mails = new LinkedBlockingQueue<>();

        @OutboxListener(queue = "${queue:orders}", ackMode = AckMode.MANUAL, concurrency = "${orders.concurrency:2}")
        private void forward(Delivery<Order> delivery, Acknowledgement acknowledgement) {
            orders.add(delivery);
            inHand.add(acknowledgement);
        }

        @OnAdoption("${queue:orders}")
        void adopted(Adoption<Order> adoption) {
            adoptions.add(adoption);
        }

        @OutboxListener(
                value = "mail",
                errorHandler = "verdict",
                retry = @OutboxRetry(delayMin = "10ms", neverOn = IllegalArgumentException.class))
        void mail(String text, @EntryHeader("tenant") String tenant, @EntryHeader Map<String, String> headers) {
            mails.add(text + " of " + tenant);
        }
    }

    /** The name of the field says which outbox, because the properties know it. */
    static class FieldInjected {
        @org.springframework.beans.factory.annotation.Autowired
        Outbox<String> mail;

        @org.springframework.beans.factory.annotation.Autowired
        GeoRepNode node;
    }
}

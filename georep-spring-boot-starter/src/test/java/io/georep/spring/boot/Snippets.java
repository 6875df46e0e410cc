package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Configuration;

/** What snippets of the documentation name and leave to their reader. */
public final class Snippets {
    private Snippets() {}

    /** Around statements. Those who compare look into the queues. */
    public abstract static class Statements {
        public final Logger log = LoggerFactory.getLogger(Statements.class);
        public final Operator operator = new Operator();
        public final Producer producer = new Producer();
        public final OwnQueue queue = new OwnQueue();
        public final Transaction transaction = new Transaction();
        public final String text = "hello";
        public final byte[] payload = {1, 2, 3};
        public final Collection<EntryId> sent = List.of();
        public GeoRepNode node;
        public Outbox<String> outbox;

        public abstract void run() throws Exception;
    }

    /** A consumer is down for as many calls as a test says. */
    public abstract static class Consumer {
        private final AtomicInteger callsDown = new AtomicInteger();

        public final void downFor(int calls) {
            callsDown.set(calls);
        }

        protected final void requireUp() {
            if (callsDown.getAndUpdate(calls -> Math.max(0, calls - 1)) > 0) {
                throw new IllegalStateException("the consumer is down");
            }
        }
    }

    /** A consumer. */
    public static final class Operator extends Consumer {
        public final BlockingQueue<Object> submitted = new LinkedBlockingQueue<>();

        public void submit(Object message) {
            requireUp();
            submitted.add(message);
        }

        public void submit(Object message, String key) {
            submit(message);
        }
    }

    /** A producer that wants to be told. */
    public static final class Producer {
        public final BlockingQueue<Object> told = new LinkedBlockingQueue<>();

        public void accepted(EntryId id) {
            told.add(id);
        }

        public void refused(RejectedException.Reason reason) {
            told.add(reason);
        }

        public void unknown() {
            told.add("unknown");
        }
    }

    /** An application's own queue. */
    public static final class OwnQueue {
        public final BlockingQueue<EntryId> ids = new LinkedBlockingQueue<>();

        public void add(EntryId id, byte[] payload) {
            ids.add(id);
        }
    }

    /** An application's own transaction. */
    public static final class Transaction {
        public boolean commit(EntryId id) {
            return id != null;
        }
    }

    /** Around members of a Spring application. */
    @Configuration(proxyBeanMethods = false)
    public static class Application {
        protected static final Logger log = LoggerFactory.getLogger(Application.class);
        public static Operator operator = new Operator();
        public static Smtp smtp = new Smtp();
        public static BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

        /** A payload of the application. */
        public record Sms(String number, String text) {}

        /** A payload of the application. */
        public record Mail(String to) {}

        /** A payload of the application. */
        public record Order(String id) {}

        /** Nobody has that number. */
        public static final class UnknownNumberException extends RuntimeException {
            private static final long serialVersionUID = 1L;
        }

        /** The application's table of messages that a relay passes on. */
        public static final class OutboxTable {
            public final Map<String, Sms> rows = new TreeMap<>();

            public Map<String, Sms> oldest(int most) {
                Map<String, Sms> some = new TreeMap<>();
                rows.entrySet().stream().limit(most).forEach(row -> some.put(row.getKey(), row.getValue()));
                return some;
            }

            public void delete(String id) {
                rows.remove(id);
            }
        }

        /** The application's table of orders. */
        public static final class OrderRepository {
            public final Set<String> ids = ConcurrentHashMap.newKeySet();

            public boolean existsById(String id) {
                return ids.contains(id);
            }
        }

        /** Refuses the first mail to nobody. */
        public static final class Smtp extends Consumer {
            public final BlockingQueue<Mail> sent = new LinkedBlockingQueue<>();
            private boolean refused;

            public synchronized Map<EntryId, Exception> submitAll(List<Delivery<Mail>> batch) {
                requireUp();
                Map<EntryId, Exception> failures = new TreeMap<>();
                for (Delivery<Mail> mail : batch) {
                    if (mail.payload().to().equals("nobody") && !refused) {
                        refused = true;
                        failures.put(mail.id(), new IllegalStateException("mailbox is full"));
                    } else {
                        sent.add(mail.payload());
                    }
                }
                return failures;
            }
        }
    }
}

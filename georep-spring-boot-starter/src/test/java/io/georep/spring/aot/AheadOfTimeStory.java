package io.georep.spring.aot;

import io.georep.GeoRepNode;
import io.georep.outbox.SendOptions;
import io.georep.spring.Outboxes;
import io.georep.spring.aot.AheadOfTimeApplication.Consumer;
import io.georep.spring.aot.AheadOfTimeApplication.FieldInjected;
import io.georep.spring.aot.AheadOfTimeApplication.Letter;
import io.georep.spring.aot.AheadOfTimeApplication.Line;
import io.georep.spring.aot.AheadOfTimeApplication.Order;
import io.georep.spring.aot.AheadOfTimeApplication.Orders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ConfigurationClassPostProcessor;

/** What the application does in AOT mode: three nodes in one process; every step either prints its line or throws. */
final class AheadOfTimeStory {
    private static final long SECONDS_MAX = 60;

    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

    private AheadOfTimeStory() {}

    /** Runs the story below the directory named by the first argument; while processed ahead of time only until the first context. */
    static void tell(String[] arguments) throws Exception {
        AheadOfTimeStory story = new AheadOfTimeStory();
        try {
            for (int number = 1; number <= 3; number++) {
                story.start(number, arguments);
            }
            story.prove(arguments);
        } finally {
            story.contexts.forEach(ConfigurableApplicationContext::close);
        }
        System.out.println("DONE");
    }

    private void start(int number, String[] arguments) {
        Path directory = Path.of(arguments.length == 0 ? "unused" : arguments[0]);
        ConfigurableApplicationContext context = SpringApplication.run(
                AheadOfTimeApplication.class,
                "--georep.node-id=n" + number,
                "--georep.site=site-" + number,
                "--server.port=0",
                "--georep.host=127.0.0.1",
                "--georep.port=0",
                "--georep.data-dir=" + directory.resolve("n" + number),
                "--georep.durability=os",
                // What the halted node has in hand is never acknowledged.
                "--georep.close-timeout=1s",
                "--georep.outboxes.mail.retry.delay-max=1s",
                "--georep.connectors.archive.connector.class=FileStreamSink",
                "--georep.connectors.archive.topics=archive",
                "--georep.connectors.archive.file=" + directory.resolve("archive-n" + number),
                "--georep.connectors.archive.offset.flush.interval.ms=50",
                "--georep.connectors.archive.value.converter=StringConverter",
                "--georep.connectors.archive.transforms=all",
                "--georep.connectors.archive.transforms.all.type=org.apache.kafka.connect.transforms.DropHeaders",
                "--georep.connectors.archive.transforms.all.headers=none",
                "--georep.protocol.heartbeat=100ms",
                "--georep.protocol.suspect-after=1500ms",
                "--georep.protocol.terminate-after=1500ms",
                "--georep.protocol.put-timeout=1400ms",
                "--management.endpoints.web.exposure.include=georep",
                "--spring.main.banner-mode=off");
        contexts.add(context);
        AheadOfTimeApplication.ADDRESSES.add(
                context.getBean(GeoRepNode.class).identity().address());
    }

    private void prove(String[] arguments) throws Exception {
        check("AOT mode", AotDetector.useGeneratedArtifacts());
        check(
                "beans come from generated code",
                contexts.get(0).getBeanNamesForType(ConfigurationClassPostProcessor.class).length == 0);
        contexts.forEach(
                context -> await(() -> context.getBean(GeoRepNode.class).ready(1)));
        transactions();
        queue();
        fieldsAndHeaders();
        connector(Path.of(arguments[0]));
        adoption();
    }

    private void transactions() throws Exception {
        Orders orders = contexts.get(0).getBean(Orders.class);
        check("the proxy is one", orders.getClass() != Orders.class);
        try {
            orders.place(new Order("withdrawn", List.of()));
            throw new AssertionError("no rollback");
        } catch (IllegalStateException expected) {
            // The transaction was rolled back.
        }
        orders.place(new Order("kept", List.of(new Line("pen", 3))));
        Consumer consumer = contexts.get(0).getBean(Consumer.class);
        check(
                "only what was committed arrives",
                take(consumer.orders).payload().equals(new Order("kept", List.of(new Line("pen", 3)))));
        take(consumer.inHand).acknowledge();
        orders.bill("1");
    }

    @SuppressWarnings("unchecked")
    private void queue() throws Exception {
        BlockingQueue<Letter> letters = (BlockingQueue<Letter>) contexts.get(1).getBean("letters");
        letters.put(new Letter("Ada"));
        check("a queue hands over what it was given", take(letters).equals(new Letter("Ada")));
    }

    private void fieldsAndHeaders() throws Exception {
        contexts.get(2)
                .getBean(FieldInjected.class)
                .mail
                .send("hello", SendOptions.defaults().header("tenant", "acme"))
                .toCompletableFuture()
                .get(SECONDS_MAX, TimeUnit.SECONDS);
        check(
                "headers reach the listener",
                take(contexts.get(2).getBean(Consumer.class).mails).equals("hello of acme"));
    }

    private void connector(Path directory) throws Exception {
        contexts.get(0)
                .getBean(Outboxes.class)
                .outbox("archive", byte[].class)
                .send("a line".getBytes(StandardCharsets.UTF_8))
                .toCompletableFuture()
                .get(SECONDS_MAX, TimeUnit.SECONDS);
        Path file = directory.resolve("archive-n1");
        await(() -> {
            try {
                return Files.exists(file) && Files.readString(file).equals("a line\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        System.out.println("holds: the connector forwards");
    }

    private void adoption() throws Exception {
        contexts.get(0).getBean(Orders.class).place(new Order("in hand", List.of(new Line("ink", 1))));
        take(contexts.get(0).getBean(Consumer.class).orders);
        contexts.get(0).getBean(GeoRepNode.class).halt();
        Consumer second = contexts.get(1).getBean(Consumer.class);
        Consumer third = contexts.get(2).getBean(Consumer.class);
        await(() -> second.adoptions.size() + third.adoptions.size() > 0);
        Consumer heir = second.adoptions.isEmpty() ? third : second;
        check(
                "the adoption handler is told",
                take(heir.adoptions).from().value().equals("n1"));
        check("the heir forwards", take(heir.orders).payload().customer().equals("in hand"));
        take(heir.inHand).acknowledge();
    }

    private static void check(String what, boolean holds) {
        if (!holds) {
            throw new AssertionError("does not hold: " + what);
        }
        System.out.println("holds: " + what);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited " + SECONDS_MAX + " s");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        T taken = queue.poll(SECONDS_MAX, TimeUnit.SECONDS);
        if (taken == null) {
            throw new AssertionError("nothing arrived in " + SECONDS_MAX + " s");
        }
        return taken;
    }
}

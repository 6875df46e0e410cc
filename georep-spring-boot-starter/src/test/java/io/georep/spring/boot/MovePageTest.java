package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.Snippets.Application;
import io.georep.spring.boot.Snippets.Application.OutboxTable;
import io.georep.spring.boot.Snippets.Application.Sms;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.stereotype.Service;
import org.springframework.util.ReflectionUtils;

/** The Java of docs/use/move.md does what the page says. */
@Timeout(180)
class MovePageTest {
    private static final int ROWS = 250;

    @TempDir
    static Path directory;

    private final SnippetPage page = SnippetPage.of("docs/use/move.md");

    @Test
    void theLastRowsOfATableGoThroughTheOutbox() {
        assertThat(page.snippets()).hasSize(1);
        assertThat(page.needlessImports()).isEmpty();
        Object snippet = page.members(Application.class, directory, page.snippet("class LastRows"));
        TestApplication.alone()
                .withPropertyValues("georep.outboxes.sms.f=0", "georep.outboxes.sms.deduplication-window=10m")
                .withBean(OutboxTable.class)
                .withUserConfiguration(snippet.getClass().getDeclaredClasses())
                .run(context -> {
                    OutboxTable table = context.getBean(OutboxTable.class);
                    BlockingQueue<Delivery<Sms>> forwarded = new LinkedBlockingQueue<>();
                    Outbox<Sms> outbox = context.getBean(Outboxes.class).outbox("sms", Sms.class);
                    outbox.forward(forwarded::add);
                    Map<String, Sms> expected = new TreeMap<>();
                    for (int i = 0; i < ROWS; i++) {
                        expected.put("row-" + (1000 + i), new Sms("+31", "message " + i));
                    }
                    table.rows.putAll(expected);
                    Object relay = context.getBeansWithAnnotation(Service.class)
                            .values()
                            .iterator()
                            .next();
                    Method move = ReflectionUtils.findMethod(relay.getClass(), "move");
                    ReflectionUtils.makeAccessible(move);

                    move.invoke(relay);
                    assertThat(table.rows).hasSize(ROWS - 100);
                    // The relay has ended before it deleted a row: what comes again is known by its key.
                    table.rows.put("row-1000", expected.get("row-1000"));
                    while (!table.rows.isEmpty()) {
                        move.invoke(relay);
                    }

                    Map<String, Sms> got = new TreeMap<>();
                    for (int i = 0; i < ROWS; i++) {
                        Delivery<Sms> delivery = forwarded.poll(60, TimeUnit.SECONDS);
                        got.put(delivery.producerKey(), delivery.payload());
                    }
                    assertThat(got).isEqualTo(expected);
                    assertThat(forwarded).as("no row twice").isEmpty();
                    assertThat(outbox.statistics().acknowledged()).isEqualTo(ROWS);
                });
    }
}

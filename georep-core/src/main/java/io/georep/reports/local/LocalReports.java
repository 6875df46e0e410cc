package io.georep.reports.local;

import io.georep.logging.SafeLog;
import io.georep.model.Slice;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.reports.NodeReport;
import io.georep.reports.Reports;
import io.georep.reports.core.ReportCommand;
import io.georep.reports.core.ReportEvent;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reports of one running node. */
final class LocalReports implements LocalSide<Reports, ReportCommand, ReportEvent>, Reports {
    private static final Logger LOG = LoggerFactory.getLogger(LocalReports.class);
    private static final long WRITE_SECONDS = 10;

    private final NodeHandle<ReportCommand> node;
    private volatile @Nullable Supplier<? extends CompletionStage<byte[]>> writer;
    private volatile boolean hasFailed;

    LocalReports(NodeHandle<ReportCommand> node) {
        this.node = node;
    }

    @Override
    public Reports service() {
        return this;
    }

    @Override
    public void answerWith(Supplier<? extends CompletionStage<byte[]>> given) {
        writer = Objects.requireNonNull(given);
    }

    @Override
    public CompletionStage<List<NodeReport>> look() {
        return node.ask(ReportCommand.Look::new);
    }

    @Override
    public void event(ReportEvent event) {
        if (event instanceof ReportEvent.Seen seen) {
            node.answer(seen.token(), seen.reports());
        } else if (event instanceof ReportEvent.Wanted) {
            write();
        }
    }

    /**
     * Whatever the writer does, an answer follows: without one this node would never write again. The future is not needed: all
     * ends in the last step.
     */
    @SuppressWarnings("FutureReturnValueIgnored")
    private void write() {
        Supplier<? extends CompletionStage<byte[]>> given = writer;
        if (given == null) {
            node.command(new ReportCommand.Written(Slice.EMPTY));
            return;
        }
        CompletableFuture<byte[]> written = new CompletableFuture<>();
        try {
            given.get().whenComplete((bytes, failure) -> {
                if (failure == null) {
                    written.complete(bytes);
                } else {
                    written.completeExceptionally(failure);
                }
            });
        } catch (Throwable e) { // Also if there can be no more threads: then this node is in trouble, and not because
            // somebody looks.
            written.completeExceptionally(e);
        }
        written.orTimeout(WRITE_SECONDS, TimeUnit.SECONDS)
                .thenApply(LocalReports::checked)
                .whenComplete((text, failure) -> {
                    say(failure);
                    node.command(new ReportCommand.Written(failure == null ? text : Slice.EMPTY));
                });
    }

    private static Slice checked(byte @Nullable [] bytes) {
        if (bytes == null || bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    bytes == null
                            ? "the report is null"
                            : "the report has " + bytes.length + " bytes, allowed are " + BYTES_MAX);
        }
        return Slice.of(bytes);
    }

    /** Once until it succeeds again. */
    private void say(@Nullable Throwable failure) {
        if (failure != null && !hasFailed) {
            SafeLog.log(
                    LOG,
                    "Node {} has no report of itself for those who look, and goes on trying",
                    node.nodeName(),
                    failure);
        }
        hasFailed = failure != null;
    }
}

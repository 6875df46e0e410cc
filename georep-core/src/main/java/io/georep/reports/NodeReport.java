package io.georep.reports;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a peer.
 *
 * @param node its name
 * @param answers whether it can be asked: it was met, and it has reports
 * @param text its newest report, in at most {@link Reports#BYTES_MAX} bytes; null if none has come. Written by another
 *     process, so read it with care
 * @param age since the report has come; zero if there is none
 */
public record NodeReport(
        NodeId node, boolean answers, @Nullable Slice text, Duration age) {}

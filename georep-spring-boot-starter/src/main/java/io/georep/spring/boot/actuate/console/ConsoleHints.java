package io.georep.spring.boot.actuate.console;

import io.georep.spring.boot.actuate.AdoptionLog;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Files and JSON of the console in a native image. */
final class ConsoleHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        String directory = getClass().getPackageName().replace('.', '/');
        ConsoleFiles.TYPES.keySet().forEach(name -> hints.resources().registerPattern(directory + "/" + name));
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(
                        hints.reflection(),
                        ConsoleOrders.Order.class,
                        ConsoleOrders.Payload.class,
                        ClusterView.MemberItem.class,
                        ClusterView.SightItem.class,
                        NodeSummary.class,
                        NodeView.NodeItem.class,
                        NodeView.PeerItem.class,
                        NodeView.QueueItem.class,
                        NodeView.TakeoverItem.class,
                        NodeView.ProtocolItem.class,
                        AdoptionLog.Adopted.class,
                        Timeline.Event.class,
                        History.Plot.class);
    }
}

package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.OrderedMapsRestoration;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What an operator can do with ordered maps: say which nodes take part. */
final class OrderedMapsOperations {
    private OrderedMapsOperations() {}

    /** What begins with {@code plan-} tells what the rest would do. */
    static Map<String, Object> change(
            GeoRepNode node,
            @Nullable OrderedMaps maps,
            String name,
            @Nullable String action,
            @Nullable List<String> ids) {
        if (maps == null) {
            throw EndpointRefusal.notFound("this node has no ordered maps");
        }
        if (node.identity().limited()) {
            throw EndpointRefusal.forbidden("node " + node.identity().id() + " may not decide over other nodes, because"
                    + " its certificate is a limited one: send this request to a node with a full certificate");
        }
        String asked = String.valueOf(action);
        boolean isPlan = asked.startsWith("plan-");
        String what = isPlan ? asked.substring("plan-".length()) : asked;
        if (what.equals("restore-group")) {
            return restore(maps, name, asked, isPlan, ids == null ? List.of() : ids);
        }
        List<NodeId> others = new ArrayList<>();
        CompletionStage<OrderedMapsLayout> answer;
        try {
            NodeId first = NodeId.of(name);
            for (String each : ids == null ? List.<String>of() : ids) {
                others.add(NodeId.of(each));
            }
            if (!what.equals("add-group") && what.equals("replace") != (others.size() == 1)) {
                throw EndpointRefusal.badRequest(
                        "action 'replace' needs one node in 'ids', the new one, 'add-group' the"
                                + " other voters of the group, and no other action does");
            }
            answer = switch (what) {
                case "replace" -> maps.replace(first, others.get(0), isPlan);
                case "add-group" -> {
                    others.add(0, first);
                    yield maps.addGroup(others, isPlan);
                }
                case "add" -> maps.addReplica(first, isPlan);
                case "remove" -> maps.removeReplica(first, isPlan);
                default ->
                    throw EndpointRefusal.badRequest("action is '" + action
                            + "', allowed are replace, add, remove, add-group and restore-group, and the same after plan-, which tells"
                            + " what they would do");
            };
        } catch (IllegalArgumentException | ConfigurationException e) {
            throw EndpointRefusal.badRequest(String.valueOf(e.getMessage()));
        }
        return report(asked, answer(answer, OrderedMapsLayout.class));
    }

    private static <T> T answer(CompletionStage<T> stage, Class<T> type) {
        Object told = NodeAnswers.of(stage.<Object>handle((done, error) -> error == null ? done : cause(error)));
        if (told instanceof IllegalArgumentException refused) {
            throw EndpointRefusal.badRequest(String.valueOf(refused.getMessage()));
        } else if (!type.isInstance(told)) {
            throw EndpointRefusal.unavailable(String.valueOf(told));
        }
        return type.cast(told);
    }

    /** The name is the number of the group. Of the ids those behind a minus sign are lost, the others are to vote. */
    private static Map<String, Object> restore(
            OrderedMaps maps, String name, String asked, boolean isPlan, List<String> ids) {
        CompletionStage<OrderedMapsRestoration> stage;
        try {
            List<NodeId> lost = new ArrayList<>();
            List<NodeId> voters = new ArrayList<>();
            for (String each : ids) {
                boolean isLost = each.startsWith("-");
                (isLost ? lost : voters).add(NodeId.of(isLost ? each.substring(1) : each));
            }
            stage = maps.restoreGroup(Integer.parseInt(name), lost, voters, isPlan);
        } catch (IllegalArgumentException | ConfigurationException e) {
            throw EndpointRefusal.badRequest(
                    "'restore-group' follows the number of a group, and needs in 'ids' the voters"
                            + " that are lost, each behind a minus sign, and those that are to vote: "
                            + e.getMessage());
        }
        OrderedMapsRestoration done = answer(stage, OrderedMapsRestoration.class);
        Map<String, Object> report = report(asked, done.layout());
        report.put("executed", done.executed());
        report.put("kept", done.kept());
        Map<String, Object> others = new TreeMap<>();
        done.others().forEach(each -> others.put(each.node().value(), each.executed()));
        report.put("executedByOthers", others);
        return report;
    }

    private static Throwable cause(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }

    private static Map<String, Object> report(String asked, OrderedMapsLayout layout) {
        Map<String, Object> done = new TreeMap<>();
        done.put("done", asked);
        done.put("version", layout.version());
        done.put(
                "groups",
                layout.groups().stream().map(OrderedMapsOperations::names).toList());
        done.put("replicas", names(layout.replicas()));
        return done;
    }

    private static List<String> names(List<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).toList();
    }
}

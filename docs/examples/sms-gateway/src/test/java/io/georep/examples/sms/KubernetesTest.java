package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.demo.FreePort;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

/** The manifests of {@code docs/examples/kubernetes}: every word of them is one of Kubernetes, and a gateway runs with them. */
@Timeout(300)
final class KubernetesTest {
    private static final Path FILES = Path.of("..", "kubernetes");
    private static final List<String> SITES = List.of("ams", "nyc");
    private static final String PASSWORD = "pw-1234";

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    private record Site(
            List<V1Service> services, V1PodDisruptionBudget budget, V1NetworkPolicy policy, V1StatefulSet set) {
        V1PodSpec pod() {
            return set.getSpec().getTemplate().getSpec();
        }

        V1Container container() {
            return pod().getContainers().get(0);
        }
    }

    /** The models of the client refuse words that they do not know, and miss those that must be there. */
    private static Site read(String site) throws IOException {
        Map<String, List<String>> documents = new HashMap<>();
        for (Object document : new Yaml().loadAll(Files.readString(FILES.resolve(site + ".yaml")))) {
            String kind = String.valueOf(((Map<?, ?>) document).get("kind"));
            documents
                    .computeIfAbsent(kind, none -> new ArrayList<>())
                    .add(JsonMapper.shared().writeValueAsString(document));
        }
        assertThat(documents).containsOnlyKeys("Service", "PodDisruptionBudget", "NetworkPolicy", "StatefulSet");
        List<V1Service> services = new ArrayList<>();
        for (String service : documents.get("Service")) {
            services.add(V1Service.fromJson(service));
        }
        return new Site(
                services,
                V1PodDisruptionBudget.fromJson(
                        documents.get("PodDisruptionBudget").get(0)),
                V1NetworkPolicy.fromJson(documents.get("NetworkPolicy").get(0)),
                V1StatefulSet.fromJson(documents.get("StatefulSet").get(0)));
    }

    @Test
    void sitesDifferByTheirNamesOnly() throws Exception {
        String seeds = "sms-ams-0.sms-ams:7400,sms-nyc-0.sms-nyc:7400";
        List<String> files = new ArrayList<>();
        for (String site : SITES) {
            String text = Files.readString(FILES.resolve(site + ".yaml"));
            assertThat(text).contains(seeds);
            files.add(text.lines()
                    .skip(1)
                    .reduce("", String::concat)
                    .replace(seeds, "")
                    .replaceAll("\\b" + site, "SITE"));
        }
        assertThat(files.get(0)).isEqualTo(files.get(1)).contains("sms-SITE").doesNotContain("ams", "nyc");
    }

    @Test
    void thePartsNameEachOther() throws Exception {
        for (String name : SITES) {
            Site site = read(name);
            Map<String, String> labels = Map.of("app", "sms", "site", name);
            assertThat(site.set.getSpec().getTemplate().getMetadata().getLabels())
                    .isEqualTo(labels);
            assertThat(site.set.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
            assertThat(site.budget.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
            assertThat(site.policy.getSpec().getPodSelector().getMatchLabels()).isEqualTo(labels);
            assertThat(site.services)
                    .allSatisfy(service ->
                            assertThat(service.getSpec().getSelector()).isEqualTo(labels));
            V1Service names = site.services.get(0);
            assertThat(site.set.getSpec().getServiceName())
                    .isEqualTo(names.getMetadata().getName());
            assertThat(names.getSpec().getClusterIP()).isEqualTo("None");
            assertThat(names.getSpec().getPublishNotReadyAddresses()).isTrue();
            assertThat(site.pod().getEnableServiceLinks()).isFalse();
            Map<String, String> variables = variables(site, name, 0);
            assertThat(variables.get("GEOREP_ADVERTISE"))
                    .startsWith("sms-%s-0.%s.default."
                            .formatted(name, names.getMetadata().getName()))
                    .endsWith(":" + variables.get("GEOREP_PORT"));
            assertThat(variables.get("GEOREP_SEEDS"))
                    .contains("sms-%s-0.%s:".formatted(name, names.getMetadata().getName()));
            assertThat(site.container().getPorts().stream().map(port -> port.getContainerPort() + ""))
                    .containsExactly(
                            variables.get("GEOREP_PORT"),
                            variables.get("SERVER_PORT"),
                            variables.get("SMS_SMPP_PORT"),
                            variables.get("MANAGEMENT_SERVER_PORT"));
        }
    }

    /** As Kubernetes makes them for a pod of the set. */
    private static Map<String, String> variables(Site site, String name, int ordinal) {
        Map<String, String> variables = new HashMap<>();
        for (V1EnvVar variable : site.container().getEnv()) {
            String value = variable.getValue();
            if (value == null && variable.getValueFrom().getSecretKeyRef() != null) {
                value = PASSWORD;
            } else if (value == null) {
                value = switch (variable.getValueFrom().getFieldRef().getFieldPath()) {
                    case "metadata.name" -> "sms-" + name + "-" + ordinal;
                    case "metadata.namespace" -> "default";
                    default -> throw new AssertionError(variable);
                };
            }
            Matcher earlier = Pattern.compile("\\$\\((\\w+)\\)").matcher(value);
            variables.put(variable.getName(), earlier.replaceAll(found -> variables.get(found.group(1))));
        }
        return variables;
    }

    /** A pod as a process: its variables, with addresses of this machine in place of names and ports of the cluster. */
    private final class Pod {
        private final Site site;
        private final Map<String, String> variables;
        private final Path volume;
        private Process process;

        Pod(String name, int ordinal, Map<String, String> addresses, int operator) throws IOException {
            site = read(name);
            variables = variables(site, name, ordinal);
            volume = Files.createDirectories(directory.resolve(variables.get("POD_NAME")));
            String own = addresses.get(variables.get("POD_NAME") + ".sms-" + name + ":7400");
            variables.put("GEOREP_PORT", own.substring(own.indexOf(':') + 1));
            variables.put("GEOREP_ADVERTISE", own);
            addresses.forEach((there, here) ->
                    variables.computeIfPresent("GEOREP_SEEDS", (key, seeds) -> seeds.replace(there, here)));
            Path secret = directory.resolve("secret");
            Files.writeString(
                    secret,
                    Base64.getEncoder()
                            .encodeToString("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8)));
            variables.put("GEOREP_SECURITY_SECRETFILE", secret.toString());
            for (String port : List.of("SERVER_PORT", "SMS_SMPP_PORT", "MANAGEMENT_SERVER_PORT")) {
                variables.put(port, Integer.toString(FreePort.find()));
            }
            variables.put("OPERATOR_HOST", "localhost");
            variables.put("OPERATOR_PORT", Integer.toString(operator));
        }

        void start() throws IOException {
            ProcessBuilder builder = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-classpath",
                            System.getProperty("java.class.path"),
                            SmsGatewayApplication.class.getName())
                    .directory(volume.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            volume.resolve("log").toFile()));
            builder.environment().putAll(variables);
            process = builder.start();
            processes.add(process);
        }

        boolean passes(V1Probe probe) {
            assertThat(process.isAlive()).as(log()).isTrue();
            assertThat(probe.getHttpGet().getPort().getStrValue()).isEqualTo("management");
            try {
                return manage(probe.getHttpGet().getPath()).statusCode() == 200;
            } catch (IOException e) {
                return false;
            }
        }

        /** Whether it sees a peer in this state. */
        boolean seesAs(String state) {
            try {
                return manage("/actuator/georep/peers")
                        .body()
                        .toLowerCase(Locale.ROOT)
                        .contains('"' + state + '"');
            } catch (IOException e) {
                return false;
            }
        }

        private HttpResponse<String> manage(String path) throws IOException {
            String url = "http://localhost:" + variables.get("MANAGEMENT_SERVER_PORT") + path;
            return send(HttpRequest.newBuilder(URI.create(url)).build());
        }

        int accept(String text) throws IOException {
            String account =
                    Base64.getEncoder().encodeToString(("client:" + PASSWORD).getBytes(StandardCharsets.UTF_8));
            return send(HttpRequest.newBuilder(
                                    URI.create("http://localhost:" + variables.get("SERVER_PORT") + "/messages"))
                            .header("authorization", "Basic " + account)
                            .header("content-type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(
                                    "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"" + text + "\"}"))
                            .build())
                    .statusCode();
        }

        String log() {
            try {
                return Files.readString(volume.resolve("log"));
            } catch (IOException e) {
                return e.toString();
            }
        }
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A pod of each site, ready, and an operator that tells what arrives. */
    private final class Cluster implements AutoCloseable {
        private final Set<String> arrived = ConcurrentHashMap.newKeySet();
        private final OperatorSimulator operator;
        private final Pod ams;
        private final Pod nyc;

        Cluster() throws IOException {
            operator = OperatorSimulator.open(
                    "localhost",
                    0,
                    List.of("gateway"),
                    PASSWORD,
                    each -> arrived.add(each.sms().text()));
            Map<String, String> addresses = new HashMap<>();
            for (String site : SITES) {
                addresses.put("sms-%s-0.sms-%s:7400".formatted(site, site), "localhost:" + FreePort.find());
            }
            ams = new Pod("ams", 0, addresses, operator.port());
            nyc = new Pod("nyc", 0, addresses, operator.port());
        }

        void awaitReady(Pod pod) {
            Await.until(
                    "the pod to start", () -> pod.passes(pod.site.container().getStartupProbe()));
            Await.until(
                    "the pod to be ready", () -> pod.passes(pod.site.container().getReadinessProbe()));
        }

        void startBoth() throws IOException {
            ams.start();
            Await.until(
                    "ams to live without the others",
                    () -> ams.passes(ams.site.container().getLivenessProbe()));
            assertThat(ams.passes(ams.site.container().getReadinessProbe())).isFalse();
            nyc.start();
            awaitReady(ams);
            awaitReady(nyc);
        }

        void awaitAtOperator(String text) {
            Await.until("'" + text + "' at the operator", () -> arrived.contains(text));
        }

        @Override
        public void close() {
            operator.close();
        }
    }

    /** First preStop, during which the pod works as before, then SIGTERM; SIGKILL would come when the grace period is over. */
    private static void stopAsKubernetesDoes(Pod pod) throws Exception {
        long grace = TimeUnit.SECONDS.toNanos(pod.site.pod().getTerminationGracePeriodSeconds());
        long begun = System.nanoTime();
        List<String> preStop =
                pod.site.container().getLifecycle().getPreStop().getExec().getCommand();
        Process hook = new ProcessBuilder(preStop).inheritIO().start();
        assertThat(pod.accept("during preStop")).isEqualTo(202);
        assertThat(pod.passes(pod.site.container().getLivenessProbe())).isTrue();
        assertThat(hook.waitFor()).isZero();

        pod.process.destroy();
        assertThat(pod.process.waitFor(grace - (System.nanoTime() - begun), TimeUnit.NANOSECONDS))
                .as(pod.log())
                .isTrue();
    }

    @Test
    @Tag("servers")
    void podsBecomeReadyLeaveInTimeAndComeBackWithTheirVolume() throws Exception {
        try (Cluster cluster = new Cluster()) {
            cluster.startBoth();
            cluster.operator.throttle(true);
            assertThat(cluster.ams.accept("before it is moved")).isEqualTo(202);

            stopAsKubernetesDoes(cluster.ams);
            Await.until("nyc to know that ams will be back", () -> cluster.nyc.seesAs("arnold"));
            cluster.ams.start();
            cluster.awaitReady(cluster.ams);
            cluster.operator.throttle(false);
            cluster.awaitAtOperator("before it is moved");
            cluster.awaitAtOperator("during preStop");
            assertThat(cluster.nyc.log()).doesNotContain("-> TERMINATED");
        }
    }

    @Test
    @Tag("servers")
    void whatAPodHadIsForwardedAlthoughItsVolumeIsLost() throws Exception {
        try (Cluster cluster = new Cluster()) {
            cluster.startBoth();
            cluster.operator.throttle(true);
            assertThat(cluster.ams.accept("before the volume is lost")).isEqualTo(202);

            cluster.ams.process.destroyForcibly().waitFor();
            FileSystemUtils.deleteRecursively(cluster.ams.volume);
            Files.createDirectories(cluster.ams.volume);
            cluster.ams.start();
            cluster.awaitReady(cluster.ams);
            cluster.operator.throttle(false);

            cluster.awaitAtOperator("before the volume is lost");
            assertThat(cluster.ams.accept("with the new volume")).isEqualTo(202);
            cluster.awaitAtOperator("with the new volume");
        }
    }
}

package io.georep.netty.internal;

import io.georep.model.ConfigurationException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says which node of a cluster a certificate is for: by a subject alternative name {@code URI:georep:<cluster>/<node>}, or by
 * DNS names of one pattern. Names are compared as they are written, capitals included. Immutable.
 */
public final class NameRule {
    private static final int URI = 6;
    private static final int DNS = 2;
    private static final String SCHEME = "georep:";
    private static final String NODE = "{node}";
    private static final String CLUSTER = "{cluster}";
    private static final int NAMES_SHOWN = 5;

    private final int type;
    private final String example;
    private final Pattern pattern;

    private NameRule(int type, String example, Pattern pattern) {
        this.type = type;
        this.example = example;
        this.pattern = pattern;
    }

    /**
     * Creates the rule of a cluster.
     *
     * @param dnsPattern DNS name with {@code {node}} and perhaps {@code {cluster}} in it; null: URIs decide
     * @throws ConfigurationException if the pattern could be read in two ways
     */
    static NameRule of(String cluster, @Nullable String dnsPattern) {
        if (dnsPattern == null) {
            String uri = SCHEME + cluster + "/";
            return new NameRule(URI, uri + NODE, Pattern.compile(Pattern.quote(uri) + "([A-Za-z0-9._-]+)"));
        }
        check(dnsPattern);
        boolean namesCluster = dnsPattern.contains(CLUSTER);
        if (namesCluster && cluster.contains(".")) {
            throw new ConfigurationException(
                    "the cluster's name '" + cluster + "' contains a dot, and the rule for DNS names '" + dnsPattern
                            + "' cannot tell it from the node's: take " + CLUSTER + " out of the rule");
        }
        // With the cluster in the name, a dot in a node's name could be read as the border between the two.
        String node = namesCluster ? "([A-Za-z0-9_-]+)" : "([A-Za-z0-9._-]+)";
        String example = dnsPattern.replace(CLUSTER, cluster);
        String[] around = example.split(Pattern.quote(NODE), -1);
        return new NameRule(DNS, example, Pattern.compile(Pattern.quote(around[0]) + node + Pattern.quote(around[1])));
    }

    /**
     * Checks a pattern for DNS names.
     *
     * @throws ConfigurationException if it does not contain {@code {node}} once and {@code {cluster}} at most once, in another
     *     part between dots
     */
    public static void check(String dnsPattern) {
        int nodes = dnsPattern.split(Pattern.quote(NODE), -1).length - 1;
        int clusters = dnsPattern.split(Pattern.quote(CLUSTER), -1).length - 1;
        boolean apart = List.of(dnsPattern.split("\\.", -1)).stream()
                .noneMatch(label -> label.contains(NODE) && label.contains(CLUSTER));
        if (nodes != 1 || clusters > 1 || !apart) {
            throw new ConfigurationException("the rule for DNS names is '" + dnsPattern + "', allowed is a name with "
                    + NODE + " in it once, and perhaps " + CLUSTER + " in another part, like '" + NODE
                    + ".georep.example.com'");
        }
    }

    /** Returns the ids of the nodes of this cluster that this certificate is for. */
    Set<String> nodes(X509Certificate certificate) {
        Set<String> nodes = new TreeSet<>();
        for (String name : names(certificate, type)) {
            Matcher matcher = pattern.matcher(name);
            if (matcher.matches()) {
                nodes.add(matcher.group(1));
            }
        }
        return nodes;
    }

    /** Returns the name that a certificate of this node has to have. */
    String expected(String node) {
        return (type == URI ? "URI:" : "DNS:") + example.replace(NODE, node);
    }

    /** Returns a certificate's serial number and names, in a form for logs. */
    static String describe(X509Certificate certificate) {
        List<String> all = new ArrayList<>(names(certificate, URI));
        all.addAll(names(certificate, DNS));
        String shown = String.join(", ", all.subList(0, Math.min(all.size(), NAMES_SHOWN)));
        return "the certificate with serial number "
                + certificate.getSerialNumber().toString(16)
                + (all.isEmpty() ? ", without names" : ", for " + TlsProblem.printable(shown));
    }

    private static List<String> names(X509Certificate certificate, int type) {
        List<String> found = new ArrayList<>();
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names != null) {
                for (List<?> name : names) {
                    if (name.get(0) instanceof Integer kind && kind == type && name.get(1) instanceof String value) {
                        found.add(value);
                    }
                }
            }
        } catch (CertificateParsingException e) {
            // Names that nobody can read are no names.
        }
        return found;
    }
}

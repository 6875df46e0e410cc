package io.georep.netty.internal.security;

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
 * Says which node of a cluster a certificate is for, and whether that node may decide over others: by a subject alternative
 * name {@code URI:georep:<cluster>/<node>}, or {@code URI:georep-limited:<cluster>/<node>} for a limited one; or by DNS names
 * of one pattern for each. A certificate that has a limited name is limited, whatever other names it has. Names are compared as
 * they are written, capitals included. Immutable.
 */
public final class NameRule {
    private static final int URI = 6;
    private static final int DNS = 2;
    private static final String SCHEME = "georep:";
    private static final String LIMITED_SCHEME = "georep-limited:";
    private static final String NODE = "{node}";
    private static final String CLUSTER = "{cluster}";
    private static final int NAMES_SHOWN = 5;

    private final int type;
    private final Form full;

    /** Null: no DNS name is a limited one. */
    private final @Nullable Form limited;

    /** Names before and after the node's id. */
    private record Form(String before, String after, Pattern pattern) {
        static Form of(String example, String node) {
            String[] around = example.split(Pattern.quote(NODE), -1);
            String last = around.length > 1 ? around[1] : "";
            return new Form(around[0], last, Pattern.compile(Pattern.quote(around[0]) + node + Pattern.quote(last)));
        }

        String name(String node) {
            return before + node + after;
        }

        /** Returns whether a name could be of both forms. */
        boolean overlaps(Form other) {
            return (before.startsWith(other.before) || other.before.startsWith(before))
                    && (after.endsWith(other.after) || other.after.endsWith(after));
        }
    }

    private NameRule(int type, Form full, @Nullable Form limited) {
        this.type = type;
        this.full = full;
        this.limited = limited;
    }

    /**
     * Creates the rule of a cluster.
     *
     * @param dnsPattern DNS name with {@code {node}} and perhaps {@code {cluster}} in it; null: URIs decide
     * @param limitedPattern the same for limited certificates; null: no DNS name is one
     * @throws ConfigurationException if a pattern could be read in two ways, or a name could be of both patterns
     */
    static NameRule of(String cluster, @Nullable String dnsPattern, @Nullable String limitedPattern) {
        if (dnsPattern == null) {
            String node = "([A-Za-z0-9._-]+)";
            return new NameRule(
                    URI,
                    Form.of(SCHEME + cluster + "/" + NODE, node),
                    Form.of(LIMITED_SCHEME + cluster + "/" + NODE, node));
        }
        Form full = form(cluster, dnsPattern);
        Form limited = limitedPattern == null ? null : form(cluster, limitedPattern);
        if (limited != null && limited.overlaps(full)) {
            throw new ConfigurationException(
                    "the rules for DNS names '" + dnsPattern + "' and, for limited certificates, '" + limitedPattern
                            + "' can both fit one name: take two domains of which none is a part of the other");
        }
        return new NameRule(DNS, full, limited);
    }

    private static Form form(String cluster, String dnsPattern) {
        check(dnsPattern);
        boolean namesCluster = dnsPattern.contains(CLUSTER);
        if (namesCluster && cluster.contains(".")) {
            throw new ConfigurationException(
                    "the cluster's name '" + cluster + "' contains a dot, and the rule for DNS names '" + dnsPattern
                            + "' cannot tell it from the node's: take " + CLUSTER + " out of the rule");
        }
        // With the cluster in the name, a dot in a node's name could be read as the border between the two.
        String node = namesCluster ? "([A-Za-z0-9_-]+)" : "([A-Za-z0-9._-]+)";
        return Form.of(dnsPattern.replace(CLUSTER, cluster), node);
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
            addNode(full, name, nodes);
            if (limited != null) {
                addNode(limited, name, nodes);
            }
        }
        return nodes;
    }

    private static void addNode(Form form, String name, Set<String> nodes) {
        Matcher matcher = form.pattern().matcher(name);
        if (matcher.matches()) {
            nodes.add(matcher.group(1));
        }
    }

    /** Returns whether a node with this certificate may not decide over others. In doubt it may not. */
    boolean isLimited(X509Certificate certificate) {
        Form form = limited;
        return names(certificate, URI).stream().anyMatch(name -> name.startsWith(LIMITED_SCHEME))
                || (form != null
                        && names(certificate, type).stream()
                                .anyMatch(name -> form.pattern().matcher(name).matches()));
    }

    /** Returns the name that a certificate of this node has to have. */
    String expected(String node) {
        return (type == URI ? "URI:" : "DNS:") + full.name(node);
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

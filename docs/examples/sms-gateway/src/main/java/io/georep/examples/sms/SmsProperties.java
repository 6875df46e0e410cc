package io.georep.examples.sms;

import io.georep.examples.sms.operator.Operators;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the gateway; those of the replication are under {@code georep}.
 *
 * @param contentBytesMax longest content of a message, in bytes; longer ones are refused
 * @param accounts who may send messages, by name; the gateway does not start without any
 * @param http the port clients post to
 * @param smpp the port clients bind to
 * @param operator the operator that messages without a route go to
 * @param operators further operators, by name
 * @param routes names of the operators that messages go to, by prefixes of numbers; "*" is for all others
 * @param receipts what becomes of delivery receipts
 * @param tables accounts and routes that all gateways share
 * @param credit how messages of prepaid accounts are paid
 * @param admin who may look at accounts, routes and credit, and change them
 */
@ConfigurationProperties("sms")
public record SmsProperties(
        @DefaultValue("1600") int contentBytesMax,
        @DefaultValue Map<String, Account> accounts,
        @DefaultValue Http http,
        @DefaultValue Smpp smpp,
        @DefaultValue Operator operator,
        @DefaultValue Map<String, Operator> operators,
        @DefaultValue Map<String, String> routes,
        @DefaultValue Receipts receipts,
        @DefaultValue Tables tables,
        @DefaultValue Credit credit,
        @DefaultValue Admin admin) {
    /** What the name of an account must look like. */
    public static final String ACCOUNT_NAME = "[A-Za-z0-9_.-]{1,15}";

    /** What a prefix of numbers must look like. */
    public static final String PREFIX = "[0-9]{1,15}|\\*";

    private static final String OPERATOR_NAME = "[a-z0-9-]{1,30}";

    public SmsProperties {
        if (accounts.isEmpty()) {
            throw new IllegalArgumentException(
                    "Nobody may send messages. Set sms.accounts.NAME.password for each client,"
                            + " for example with the environment variable SMS_ACCOUNTS_CLIENT_PASSWORD for the account 'client'");
        }
        accounts.forEach((name, account) -> {
            if (!name.matches(ACCOUNT_NAME)) {
                throw new IllegalArgumentException("The account '" + Printable.of(name)
                        + "' cannot be used as system id: choose 1 to 15 letters, digits, '_', '.' or '-'");
            }
            if (account.password().isEmpty()) {
                throw new IllegalArgumentException("Set sms.accounts." + name + ".password: there is no default");
            }
        });
        if (operator.password().isEmpty()) {
            throw new IllegalArgumentException("Set sms.operator.password, for example with the environment variable"
                    + " SMS_OPERATOR_PASSWORD: there is no default");
        }
        operators.forEach((name, each) -> {
            if (!name.matches(OPERATOR_NAME) || name.equals(Operators.FIRST)) {
                throw new IllegalArgumentException("sms.operators." + Printable.of(name)
                        + " is not a good name: choose 1 to 30 small letters, digits or '-', but not 'operator', which is"
                        + " that of sms.operator");
            }
            if (each.password().isEmpty()) {
                throw new IllegalArgumentException("Set sms.operators." + name + ".password: there is no default");
            }
        });
        Map<String, Operator> known = operators;
        routes.forEach((prefix, name) -> {
            if (!prefix.matches(PREFIX)) {
                throw new IllegalArgumentException("sms.routes." + Printable.of(prefix)
                        + " is no prefix of a number: write up to 15 digits, or \"[*]\" for all others");
            }
            if (!name.equals(Operators.FIRST) && !known.containsKey(name)) {
                throw new IllegalArgumentException("sms.routes." + prefix + " is '" + Printable.of(name)
                        + "', but there is no such operator: set sms.operators." + Printable.of(name)
                        + ", or write 'operator' for sms.operator");
            }
        });
        accounts = Map.copyOf(accounts);
        operators = Map.copyOf(operators);
        routes = Map.copyOf(routes);
    }

    /**
     * Somebody who may send messages.
     *
     * @param password password of both doors; SMPP carries at most 8 characters, so with a longer one an account has HTTP only
     * @param sessionsMax most SMPP sessions with this gateway at a time
     * @param rate most messages per second at this gateway, over both doors; 0 for no limit
     * @param receiptsUrl where receipts of messages that came by HTTP are posted; null for nowhere
     * @param receiptsSecret key of the signature of what is posted; empty for none
     * @param prepaid whether its messages are paid before they are sent, from the credit that all gateways share
     */
    public record Account(
            @DefaultValue("") String password,
            @DefaultValue("10") int sessionsMax,
            @DefaultValue("1000") int rate,
            @Nullable URI receiptsUrl,
            @DefaultValue("") String receiptsSecret,
            @DefaultValue("false") boolean prepaid) {
        /** With a session, and nowhere to post to. */
        public Account(String password, int sessionsMax, int rate) {
            this(password, sessionsMax, rate, null, "", false);
        }

        private static final int PORT_MAX = 65_535;

        @ConstructorBinding
        public Account {
            if (receiptsUrl != null
                    && (!("https".equals(receiptsUrl.getScheme()) || "http".equals(receiptsUrl.getScheme()))
                            || receiptsUrl.getHost() == null
                            || receiptsUrl.getUserInfo() != null)) {
                throw new IllegalArgumentException(
                        "receipts-url of an account must be https://HOST/PATH or http://HOST/PATH, without a password");
            }
            int port = receiptsUrl == null ? -1 : receiptsUrl.getPort();
            if (port == 0 || port > PORT_MAX) {
                throw new IllegalArgumentException(
                        "receipts-url of an account has port " + port + ": take 1 to " + PORT_MAX);
            }
        }

        @Override
        public String toString() {
            return "sessionsMax " + sessionsMax + ", rate " + rate;
        }
    }

    /**
     * The port clients post to; the rest of it is under {@code server}.
     *
     * @param bodyBytesMax longest body of a request, in bytes; longer ones are refused
     * @param bodyWithin longest time in which a body must have come
     * @param headerWithin longest time from the connection, or the end of a request, to the end of the next one's header
     * @param connectionsWaitingMax most connections that have yet to send a whole request; one of them gives way to a new one
     * @param connectionsPerAddressMax most connections of one address; behind a proxy, all clients have its address
     */
    public record Http(
            @DefaultValue("16384") int bodyBytesMax,
            @DefaultValue("10s") Duration bodyWithin,
            @DefaultValue("10s") Duration headerWithin,
            @DefaultValue("1000") int connectionsWaitingMax,
            @DefaultValue("500") int connectionsPerAddressMax) {}

    /**
     * The port clients bind to.
     *
     * @param host name or address of the interface to listen on
     * @param port TCP port, 0 for any free one
     * @param sessionsMax most bound sessions at a time, of all accounts
     * @param unboundMax most connections that are not bound yet; one of them gives way to a new one
     * @param unboundPerAddressMax the same for the connections of one address
     * @param window most submits of one session that wait for their answer; more are throttled
     * @param bindTimeout longest time between connecting and binding
     * @param enquireLink silence after which a client is asked whether it lives, and longest time it may read nothing of what it
     *     is sent
     * @param deliverWithin longest time a client may take for the answer to a receipt
     */
    public record Smpp(
            @DefaultValue("localhost") String host,
            @DefaultValue("2775") int port,
            @DefaultValue("200") int sessionsMax,
            @DefaultValue("100") int unboundMax,
            @DefaultValue("20") int unboundPerAddressMax,
            @DefaultValue("1000") int window,
            @DefaultValue("5s") Duration bindTimeout,
            @DefaultValue("30s") Duration enquireLink,
            @DefaultValue("5s") Duration deliverWithin) {}

    /**
     * Delivery receipts.
     *
     * @param f copies at other sites of what is needed to route them
     * @param await how long receipts are waited for after a message was forwarded; after its validity or the time it is scheduled
     *     for, if that is later
     * @param awaitedMax most messages of one gateway whose receipts are awaited; beyond, the account that has the most loses
     *     the one whose time is over first
     * @param matchWithin how long a receipt waits for its message while every gateway says that it does not know it
     * @param keep how long a receipt waits for its client
     * @param waitingMax most receipts of one account, or of unknown messages of one operator, that wait at one gateway; more
     *     are dropped. When hundreds of thousands wait in all, fewer of each
     * @param concurrency most receipts on their way to clients at a time
     * @param postWithin longest time a client of HTTP may take for its answer
     */
    public record Receipts(
            @DefaultValue("1") int f,
            @DefaultValue("2d") Duration await,
            @DefaultValue("200000") int awaitedMax,
            @DefaultValue("1m") Duration matchWithin,
            @DefaultValue("1d") Duration keep,
            @DefaultValue("10000") int waitingMax,
            @DefaultValue("32") int concurrency,
            @DefaultValue("5s") Duration postWithin) {
        private static final int CONCURRENCY_MAX = 250;

        public Receipts {
            if (concurrency < 1 || concurrency > CONCURRENCY_MAX) {
                throw new IllegalArgumentException("sms.receipts.concurrency is " + concurrency + ": take 1 to "
                        + CONCURRENCY_MAX + ", for other gateways hear only so many questions of this one at a time");
            }
        }
    }

    /**
     * Accounts and routes that all gateways share, if the node has replicated maps.
     *
     * @param staleMax how long a gateway that is cut off from the others goes on with the accounts and routes that it knew last
     */
    public record Tables(@DefaultValue("12h") Duration staleMax) {}

    /**
     * Prepaid credit.
     *
     * @param checkAfter how long a message may wait to be paid until it is found out whether it was; longer than
     *     {@code georep.ordered-maps.timeout}
     */
    public record Credit(@DefaultValue("30s") Duration checkAfter) {}

    /**
     * Who may look at accounts and routes, and change them, at the management port.
     *
     * @param name the user of HTTP Basic
     * @param password its password, of 12 characters at least; empty: nobody may
     */
    public record Admin(
            @DefaultValue("admin") String name,
            @DefaultValue("") String password) {
        private static final int PASSWORD_MIN = 12;

        public Admin {
            if (!password.isEmpty() && password.length() < PASSWORD_MIN) {
                throw new IllegalArgumentException("sms.admin.password has " + password.length() + " characters: take "
                        + PASSWORD_MIN + " or more");
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * An operator that messages go to.
     *
     * @param host name or address
     * @param port TCP port
     * @param systemId name to bind with
     * @param password password to bind with
     * @param window most submits that wait for their answer
     * @param connectTimeout longest time for connecting and for binding
     * @param responseTimeout longest time for the answer to a submit
     * @param enquireLink silence after which the operator is asked whether it lives
     * @param reconnectMin pause before the second attempt to connect; each further one is twice as long
     * @param reconnectMax longest pause between attempts to connect
     * @param throttleMin pause after the operator throttled; each further one is twice as long
     * @param throttleMax longest pause after the operator throttled
     * @param patience longest time a message waits here for a link that is up and not throttled
     */
    public record Operator(
            @DefaultValue("localhost") String host,
            @DefaultValue("2776") int port,
            @DefaultValue("gateway") String systemId,
            @DefaultValue("") String password,
            @DefaultValue("32") int window,
            @DefaultValue("5s") Duration connectTimeout,
            @DefaultValue("5s") Duration responseTimeout,
            @DefaultValue("30s") Duration enquireLink,
            @DefaultValue("200ms") Duration reconnectMin,
            @DefaultValue("10s") Duration reconnectMax,
            @DefaultValue("100ms") Duration throttleMin,
            @DefaultValue("5s") Duration throttleMax,
            @DefaultValue("5s") Duration patience) {
        public Operator {
            if (window < 1) {
                throw new IllegalArgumentException("the window of an operator is " + window + ": take 1 or more");
            }
        }

        @Override
        public String toString() {
            return systemId + "@" + host + ":" + port;
        }
    }
}

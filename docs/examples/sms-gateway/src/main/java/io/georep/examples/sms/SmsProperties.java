package io.georep.examples.sms;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the gateway; those of the replication are under {@code georep}.
 *
 * @param contentBytesMax longest content of a message, in bytes; longer ones are refused
 * @param smpp the port clients bind to
 * @param operator the operator messages go to
 */
@ConfigurationProperties("sms")
public record SmsProperties(
        @DefaultValue("1600") int contentBytesMax,
        @DefaultValue Smpp smpp,
        @DefaultValue Operator operator) {
    /**
     * The port clients bind to.
     *
     * @param port TCP port, 0 for any free one
     * @param systemId name clients bind with
     * @param password password clients bind with, at most 8 characters as SMPP has it
     * @param sessionsMax most connections at a time, bound or not
     * @param window most submits of one session that wait for their answer; more are throttled
     * @param bindTimeout longest time between connecting and binding
     * @param enquireLink silence after which a client is asked whether it lives
     */
    public record Smpp(
            @DefaultValue("2775") int port,
            @DefaultValue("client") String systemId,
            @DefaultValue("secret") String password,
            @DefaultValue("200") int sessionsMax,
            @DefaultValue("1000") int window,
            @DefaultValue("5s") Duration bindTimeout,
            @DefaultValue("30s") Duration enquireLink) {}

    /**
     * The operator messages go to.
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
            @DefaultValue("secret") String password,
            @DefaultValue("32") int window,
            @DefaultValue("5s") Duration connectTimeout,
            @DefaultValue("5s") Duration responseTimeout,
            @DefaultValue("30s") Duration enquireLink,
            @DefaultValue("200ms") Duration reconnectMin,
            @DefaultValue("10s") Duration reconnectMax,
            @DefaultValue("100ms") Duration throttleMin,
            @DefaultValue("5s") Duration throttleMax,
            @DefaultValue("5s") Duration patience) {}
}

package io.georep.examples.sms.demo;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.DataCodings;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.session.BindParameter;
import org.jsmpp.session.SMPPSession;
import org.jsmpp.session.connection.socket.SocketConnection;

/** A client of the gateway: one session. Thread-safe: each call of {@link #submit} waits for its own answer. */
public final class SmppClient implements AutoCloseable {
    private static final int SHORT_MESSAGE_MAX = 254;

    private static final long UNBIND_MILLIS = 2_000;

    private final SMPPSession session;

    private SmppClient(SMPPSession session) {
        this.session = session;
    }

    /** Connects to this machine and binds; {@code atMost} bounds connecting, binding, and later the wait for each answer. */
    public static SmppClient bind(int port, String systemId, String password, Duration atMost) throws IOException {
        return bind("localhost", port, systemId, password, atMost);
    }

    /** Connects to a machine and binds; {@code atMost} bounds connecting, binding, and later the wait for each answer. */
    public static SmppClient bind(String machine, int port, String systemId, String password, Duration atMost)
            throws IOException {
        int millis = (int) atMost.toMillis();
        SMPPSession session = new SMPPSession((host, toPort) -> {
            Socket socket = new Socket();
            socket.connect(new InetSocketAddress(host, toPort), millis);
            socket.setTcpNoDelay(true);
            return new SocketConnection(socket);
        });
        // In their order: jSMPP would otherwise lose an answer that comes just before the gateway unbinds.
        session.setPduProcessorDegree(1);
        session.setTransactionTimer(millis);
        BindParameter bind = new BindParameter(
                BindType.BIND_TX, systemId, password, "", TypeOfNumber.UNKNOWN, NumberingPlanIndicator.UNKNOWN, "");
        session.connectAndBind(machine, port, bind, millis);
        return new SmppClient(session);
    }

    /**
     * Submits a text and returns the message id.
     *
     * @throws NegativeResponseException when the gateway refuses
     * @throws IOException when there is no answer, so that nobody knows
     */
    public String submit(String from, String to, String text) throws NegativeResponseException, IOException {
        Sms sms = Sms.text(Address.parse(from), Address.parse(to), text, false);
        boolean fits = sms.content().length <= SHORT_MESSAGE_MAX;
        OptionalParameter[] optional = fits
                ? new OptionalParameter[0]
                : new OptionalParameter[] {new OptionalParameter.Message_payload(sms.content())};
        try {
            return session.submitShortMessage(
                            "",
                            TypeOfNumber.valueOf(sms.from().ton()),
                            NumberingPlanIndicator.valueOf(sms.from().npi()),
                            sms.from().number(),
                            TypeOfNumber.valueOf(sms.to().ton()),
                            NumberingPlanIndicator.valueOf(sms.to().npi()),
                            sms.to().number(),
                            new ESMClass(),
                            (byte) 0,
                            (byte) 0,
                            null,
                            null,
                            new RegisteredDelivery(sms.registeredDelivery()),
                            (byte) 0,
                            DataCodings.newInstance(sms.dataCoding()),
                            (byte) 0,
                            fits ? sms.content() : new byte[0],
                            optional)
                    .getMessageId();
        } catch (PDUException | ResponseTimeoutException | InvalidResponseException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns whether the session is still bound. */
    public boolean bound() {
        return session.getSessionState().isBound();
    }

    @Override
    public void close() {
        // When both sides unbind at once neither answers the other: do not wait for that as long as for a submit.
        session.setTransactionTimer(UNBIND_MILLIS);
        session.unbindAndClose();
    }
}

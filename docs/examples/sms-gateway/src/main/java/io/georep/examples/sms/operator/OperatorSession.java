package io.georep.examples.sms.operator;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.smpp.AddressBytesComposer;
import io.georep.examples.sms.smpp.Responses;
import io.georep.examples.sms.smpp.WatchedConnection;
import io.georep.model.EntryId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jsmpp.DefaultPDUSender;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.PDUSender;
import org.jsmpp.SMPPConstant;
import org.jsmpp.SynchronizedPDUSender;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.Command;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.SubmitSmResp;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.PendingResponse;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.extra.SessionState;
import org.jsmpp.session.BindParameter;
import org.jsmpp.session.SMPPSession;
import org.jsmpp.session.connection.ConnectionFactory;
import org.jspecify.annotations.Nullable;

/** One session with the operator: how to open it, and how a message is written into it. */
public final class OperatorSession {
    /**
     * Tag of the optional parameter with the entry id, from the range SMPP leaves to vendors. Operators ignore tags they do
     * not know; one that does know it can drop duplicates.
     */
    public static final short ENTRY_ID_TAG = 0x1400;

    private static final int SHORT_MESSAGE_MAX = 254;

    /** Deliveries of the operator that wait for copies; more are refused for now. */
    private static final int DELIVERIES_MAX = 1000;

    /**
     * A bound session.
     *
     * @param connection what it goes over
     */
    record Opened(SMPPSession session, WatchedConnection connection) {}

    /**
     * Gives answers from the reader to their waiters, and ends the waits when the session is over: jSMPP would let them wait
     * on.
     */
    private static final class Session extends SMPPSession {
        private final Answers.Session answers;

        Session(PDUSender sender, DeliverReader reader, ConnectionFactory connections, Answers.Session answers) {
            super(sender, reader, connections);
            this.answers = answers;
            reader.submits(this::answered);
            addSessionStateListener((state, before, source) -> {
                if (state == SessionState.CLOSED) {
                    answers.unanswered().forEach(each -> wake(each, SMPPConstant.STAT_ESME_RSYSERR, ""));
                }
            });
        }

        private boolean answered(int sequenceNumber, int status, String messageId) {
            boolean known = answers.answered(sequenceNumber, status, messageId);
            if (known) {
                wake(sequenceNumber, status, messageId);
            }
            return known;
        }

        private void wake(int sequenceNumber, int status, String messageId) {
            PendingResponse<Command> pending = removePendingResponse(sequenceNumber);
            if (pending != null) {
                SubmitSmResp response = new SubmitSmResp();
                response.setCommandStatus(status);
                response.setMessageId(messageId);
                pending.done(response);
            }
        }
    }

    private OperatorSession() {}

    /**
     * Connects and binds; bounded in time.
     *
     * @param intake takes what the operator delivers, see {@link DeliverReader}
     * @param answers takes what it answers to submits
     * @param executor runs tasks that may block
     */
    static Opened open(
            SmsProperties.Operator properties,
            Function<Sms, @Nullable CompletionStage<?>> intake,
            Answers.Session answers,
            Executor executor)
            throws IOException {
        int connectMillis = (int) properties.connectTimeout().toMillis();
        PDUSender sender = new SynchronizedPDUSender(new DefaultPDUSender(new AddressBytesComposer(
                (parameters, sequenceNumber) -> answers.submitted(sequenceNumber, entryId(parameters)))));
        DeliverReader reader = new DeliverReader(intake);
        AtomicReference<@Nullable WatchedConnection> made = new AtomicReference<>();
        SMPPSession session = new Session(
                sender,
                reader,
                (host, port) -> {
                    Socket socket = new Socket();
                    socket.connect(new InetSocketAddress(host, port), connectMillis);
                    socket.setTcpNoDelay(true);
                    WatchedConnection connection = new WatchedConnection(socket);
                    made.set(connection);
                    reader.responses(new Responses(false, connection.getOutputStream(), executor, DELIVERIES_MAX));
                    return connection;
                },
                answers);
        // The reader leaves it little to do.
        session.setPduProcessorDegree(1);
        session.setEnquireLinkTimer((int) properties.enquireLink().toMillis());
        session.setTransactionTimer(properties.responseTimeout().toMillis());
        session.setMessageReceiverListener(new NoDataSm());
        BindParameter bind = new BindParameter(
                BindType.BIND_TRX,
                properties.systemId(),
                properties.password(),
                "",
                TypeOfNumber.UNKNOWN,
                NumberingPlanIndicator.UNKNOWN,
                "");
        try {
            session.connectAndBind(properties.host(), properties.port(), bind, connectMillis);
        } catch (IOException e) {
            // A password that is too long, for example: jSMPP leaves the connection open.
            session.close();
            throw e;
        } catch (RuntimeException | Error e) {
            // An answer that no operator gives, for example.
            session.close();
            throw new IOException("no bind: " + e, e);
        }
        return new Opened(session, Objects.requireNonNull(made.get()));
    }

    /** Reads the entry id: the first optional parameter of a submit. */
    private static EntryId entryId(OptionalParameter[] parameters) {
        return EntryId.parse(((OptionalParameter.OctetString) parameters[0]).getValueAsString());
    }

    /** Submits a message and waits for the answer; returns the operator's message id, empty if it gave none. */
    static String submit(SMPPSession session, Sms sms, EntryId id)
            throws PDUException, ResponseTimeoutException, InvalidResponseException, NegativeResponseException,
                    IOException {
        Address from = sms.from();
        Address to = sms.to();
        boolean fits = sms.content().length <= SHORT_MESSAGE_MAX;
        List<OptionalParameter> optional = new ArrayList<>();
        optional.add(
                new OptionalParameter.OctetString(ENTRY_ID_TAG, id.toString().getBytes(StandardCharsets.US_ASCII)));
        sms.tlvs().forEach(each -> optional.add(new OptionalParameter.OctetString(each.tag(), each.value())));
        if (!fits) {
            optional.add(new OptionalParameter.Message_payload(sms.content()));
        }
        String messageId = session.submitShortMessage(
                        sms.serviceType(),
                        TypeOfNumber.valueOf(from.ton()),
                        NumberingPlanIndicator.valueOf(from.npi()),
                        from.number(),
                        TypeOfNumber.valueOf(to.ton()),
                        NumberingPlanIndicator.valueOf(to.npi()),
                        to.number(),
                        new ESMClass(sms.esmClass()),
                        sms.protocolId(),
                        sms.priority(),
                        sms.scheduleDeliveryTime().isEmpty() ? null : sms.scheduleDeliveryTime(),
                        sms.validityPeriod().isEmpty() ? null : sms.validityPeriod(),
                        new RegisteredDelivery(sms.registeredDelivery()),
                        (byte) 0,
                        // jSMPP's own classes clear the bits they do not know.
                        sms::dataCoding,
                        (byte) 0,
                        fits ? sms.content() : new byte[0],
                        optional.toArray(new OptionalParameter[0]))
                .getMessageId();
        return Objects.requireNonNullElse(messageId, "");
    }
}

package io.georep.examples.sms.smpp;

import com.cloudhopper.smpp.SmppBindType;
import com.cloudhopper.smpp.SmppSession;
import com.cloudhopper.smpp.SmppSessionConfiguration;
import com.cloudhopper.smpp.impl.DefaultSmppClient;
import com.cloudhopper.smpp.impl.DefaultSmppSessionHandler;
import com.cloudhopper.smpp.pdu.DeliverSm;
import com.cloudhopper.smpp.pdu.PduRequest;
import com.cloudhopper.smpp.pdu.PduResponse;
import com.cloudhopper.smpp.pdu.SubmitSm;
import com.cloudhopper.smpp.pdu.SubmitSmResp;
import com.cloudhopper.smpp.tlv.Tlv;
import com.cloudhopper.smpp.type.Address;
import io.georep.examples.sms.Await;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A client of another implementation, which takes receipts. */
public final class OtherClient implements AutoCloseable {
    /**
     * A receipt.
     *
     * @param id the message id in its text
     * @param stat the word after {@code stat:}
     * @param deliver all of it
     */
    public record Got(String id, String stat, String text, DeliverSm deliver) {
        /** An optional parameter as text, without its end; empty for none. */
        public String tlv(int tag) {
            Tlv tlv = deliver.getOptionalParameter((short) tag);
            return tlv == null ? "" : new String(tlv.getValue(), StandardCharsets.ISO_8859_1).replace("\0", "");
        }
    }

    /** No answer at all. */
    public static final int NOTHING = -1;

    private static final int MILLIS = (int) Await.SECONDS_MAX * 1000;

    private final DefaultSmppClient client = new DefaultSmppClient();
    private final Queue<Got> got = new ConcurrentLinkedQueue<>();
    private final SmppSession session;
    private volatile int answer;

    /** Binds. */
    public OtherClient(int port, SmppBindType type, String systemId, String password) throws Exception {
        SmppSessionConfiguration settings = new SmppSessionConfiguration(type, systemId, password);
        settings.setHost("localhost");
        settings.setPort(port);
        settings.setWindowSize(100);
        settings.getLoggingOptions().setLogPdu(false);
        session = client.bind(settings, new DefaultSmppSessionHandler() {
            @Override
            @SuppressWarnings("rawtypes")
            public PduResponse firePduRequestReceived(PduRequest request) {
                PduResponse response = request.createResponse();
                if (request instanceof DeliverSm deliver) {
                    int status = answer;
                    got.add(read(deliver));
                    if (status == NOTHING) {
                        return null;
                    }
                    response.setCommandStatus(status);
                }
                return response;
            }
        });
    }

    private static Got read(DeliverSm deliver) {
        String text = new String(deliver.getShortMessage(), StandardCharsets.ISO_8859_1);
        return new Got(
                text.replaceAll("(?s).*id:(\\S*) .*", "$1"),
                text.replaceAll("(?s).*stat:(\\S*) .*", "$1"),
                text,
                deliver);
    }

    /** Answers receipts with this status from now on, or with {@link #NOTHING}. */
    public void answer(int status) {
        answer = status;
    }

    /** What came. */
    public Queue<Got> got() {
        return got;
    }

    /** Waits for a receipt of this message, with this word. */
    public Got await(String id, String stat) {
        Await.until("receipt " + stat + " of " + id + " among " + got, () -> find(id, stat) != null);
        return find(id, stat);
    }

    private Got find(String id, String stat) {
        return got.stream()
                .filter(each -> each.id().equals(id) && each.stat().equals(stat))
                .findFirst()
                .orElse(null);
    }

    /** Submits, and returns the message id. */
    public String submit(String text, int registeredDelivery) throws Exception {
        return submit(text, registeredDelivery, null);
    }

    /** The same with a validity. */
    public String submit(String text, int registeredDelivery, String validity) throws Exception {
        SubmitSm submit = new SubmitSm();
        submit.setSourceAddress(new Address((byte) 5, (byte) 0, "GeoRep"));
        submit.setDestAddress(new Address((byte) 1, (byte) 1, "31201234567"));
        submit.setShortMessage(text.getBytes(StandardCharsets.ISO_8859_1));
        submit.setRegisteredDelivery((byte) registeredDelivery);
        submit.setValidityPeriod(validity);
        SubmitSmResp response = session.submit(submit, MILLIS);
        if (response.getCommandStatus() != 0) {
            throw new IllegalStateException("submit answered " + response);
        }
        return response.getMessageId();
    }

    @Override
    public void close() {
        session.unbind(1000);
        session.destroy();
        client.destroy();
    }
}

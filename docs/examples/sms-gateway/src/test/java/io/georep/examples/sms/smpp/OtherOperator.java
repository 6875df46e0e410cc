package io.georep.examples.sms.smpp;

import com.cloudhopper.commons.util.windowing.WindowFuture;
import com.cloudhopper.smpp.SmppServerConfiguration;
import com.cloudhopper.smpp.SmppServerHandler;
import com.cloudhopper.smpp.SmppServerSession;
import com.cloudhopper.smpp.SmppSessionConfiguration;
import com.cloudhopper.smpp.impl.DefaultSmppServer;
import com.cloudhopper.smpp.impl.DefaultSmppSessionHandler;
import com.cloudhopper.smpp.pdu.BaseBind;
import com.cloudhopper.smpp.pdu.BaseBindResp;
import com.cloudhopper.smpp.pdu.DeliverSm;
import com.cloudhopper.smpp.pdu.PduRequest;
import com.cloudhopper.smpp.pdu.PduResponse;
import com.cloudhopper.smpp.pdu.SubmitSm;
import com.cloudhopper.smpp.pdu.SubmitSmResp;
import com.cloudhopper.smpp.type.Address;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.demo.FreePort;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** An operator of another implementation, with message ids of its own kind, and receipts in text only. */
public final class OtherOperator implements AutoCloseable, SmppServerHandler {
    /** A message it took. */
    public record Taken(String id, SubmitSm submit) {}

    private static final int MILLIS = (int) Await.SECONDS_MAX * 1000;

    private final List<SmppServerSession> sessions = new CopyOnWriteArrayList<>();
    private final Queue<Taken> taken = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ids = new AtomicInteger(0xabcdef0);
    private final DefaultSmppServer server;
    private final int port;

    /** Listens. */
    public OtherOperator() throws Exception {
        SmppServerConfiguration settings = new SmppServerConfiguration();
        port = FreePort.find();
        settings.setHost("localhost");
        settings.setPort(port);
        settings.setDefaultWindowSize(100);
        server = new DefaultSmppServer(settings, this);
        server.start();
    }

    /** Its port. */
    public int port() {
        return port;
    }

    /** What it took. */
    public Queue<Taken> taken() {
        return taken;
    }

    /** Sessions now. */
    public int sessions() {
        return sessions.size();
    }

    /** Sends a receipt over one of the sessions; returns the status of the answer. */
    public int receipt(int session, Taken message, String stat) throws Exception {
        DeliverSm deliver = new DeliverSm();
        deliver.setEsmClass((byte) 4);
        deliver.setSourceAddress(message.submit.getDestAddress());
        deliver.setDestAddress(new Address((byte) 5, (byte) 0, "GeoRep"));
        deliver.setShortMessage(("id:" + message.id + " sub:1 dlvrd:1 submit date:261122120000 done date:261122120130"
                        + " stat:" + stat + " err:0000000 Text:")
                .getBytes(StandardCharsets.ISO_8859_1));
        @SuppressWarnings("rawtypes")
        WindowFuture<Integer, PduRequest, PduResponse> answer =
                sessions.get(session).sendRequestPdu(deliver, MILLIS, true);
        answer.await();
        return answer.getResponse().getCommandStatus();
    }

    @Override
    public void sessionBindRequested(
            Long id, SmppSessionConfiguration settings, @SuppressWarnings("rawtypes") BaseBind bind) {
        settings.setName("operator");
    }

    @Override
    public void sessionCreated(Long id, SmppServerSession session, BaseBindResp response) {
        session.serverReady(new DefaultSmppSessionHandler() {
            @Override
            @SuppressWarnings("rawtypes")
            public PduResponse firePduRequestReceived(PduRequest request) {
                PduResponse answer = request.createResponse();
                if (request instanceof SubmitSm submit && answer instanceof SubmitSmResp submitted) {
                    String messageId =
                            Integer.toHexString(ids.incrementAndGet()).toUpperCase(Locale.ROOT);
                    submitted.setMessageId(messageId);
                    taken.add(new Taken(messageId, submit));
                }
                return answer;
            }
        });
        sessions.add(session);
    }

    @Override
    public void sessionDestroyed(Long id, SmppServerSession session) {
        sessions.remove(session);
        session.destroy();
    }

    @Override
    public void close() {
        server.stop();
        server.destroy();
    }
}

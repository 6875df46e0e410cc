package io.georep.examples.host;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import java.io.IOException;

/** Receives mails. One that it has taken counts, whether its answer gets through or not. */
final class MailServer implements OtherSide {
    private final int port;
    private final Ledger ledger;
    private GreenMail server;

    MailServer(int port, Ledger ledger) {
        this.port = port;
        this.ledger = ledger;
    }

    @Override
    public void start() throws Exception {
        server = new GreenMail(new ServerSetup(port, "127.0.0.1", "smtp"));
        var nobody = server.getUserManager().createUser("ops@example.com", "ops", "");
        server.getUserManager().setMessageDeliveryHandler((message, to) -> {
            try {
                ledger.arrived(
                        message.getMessage().getContent().toString().strip(),
                        message.getMessage().getMessageID());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return nobody;
        });
        server.start();
    }

    @Override
    public void stop() {
        server.stop();
    }
}

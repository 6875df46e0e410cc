package io.georep.examples.sms.credit;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.receipts.Route;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Does what {@link PaidSends} does, and stops at some point, as a gateway that dies does. */
public final class HeldMessages {
    private HeldMessages() {}

    /** Holds a message, and pays for it or not. */
    public static EntryId hold(Outbox<Sms> outbox, Credit credit, String account, String text, boolean isPaid)
            throws Exception {
        Sms sms = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), text, false);
        SendOptions options = Route.mark(SendOptions.defaults(), account, Route.HTTP);
        EntryId id = answer(outbox.prepare(sms, options.header(PaidSends.PARTS_HEADER, "1")));
        if (isPaid) {
            answer(credit.charge(account, id, 1));
        }
        return id;
    }

    private static <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(Await.SECONDS_MAX, TimeUnit.SECONDS);
    }
}

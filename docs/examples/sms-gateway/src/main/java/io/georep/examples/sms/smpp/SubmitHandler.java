package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Sms;
import java.util.concurrent.CompletionStage;

/** Takes what clients submit. */
@FunctionalInterface
public interface SubmitHandler {
    /**
     * Takes a message. Must not block; called on a thread of the session.
     *
     * @return completes with the message id of the answer, at most 64 ASCII characters; an {@link SmppStatusException} is
     *     answered with its status, any other error as a system error
     */
    CompletionStage<String> submit(Account account, Sms sms);
}

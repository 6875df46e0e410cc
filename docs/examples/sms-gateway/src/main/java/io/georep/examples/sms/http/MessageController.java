package io.georep.examples.sms.http;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsIntake;
import io.georep.examples.sms.receipts.Route;
import java.util.concurrent.CompletionStage;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /messages}. */
@RestController
class MessageController {
    /**
     * The answer.
     *
     * @param id id of the message, the same at every gateway
     */
    record Accepted(String id) {}

    private final SmsIntake intake;

    MessageController(SmsIntake intake) {
        this.intake = intake;
    }

    /** Answers when f+1 sites have the message on disk; no thread waits meanwhile. */
    @PostMapping("/messages")
    @ResponseStatus(HttpStatus.ACCEPTED)
    CompletionStage<Accepted> post(
            @RequestAttribute(HttpDoor.ACCOUNT) Account account, @RequestBody MessageRequest request) {
        Sms sms = request.toSms();
        if (Route.wanted(sms) && account.settings().receiptsUrl() == null) {
            throw new InvalidMessageException("receipt is true, but nobody has set where to post receipts"
                    + " (sms.accounts." + account.name() + ".receipts-url)");
        }
        return intake.take(account, sms, Route.HTTP).thenApply(id -> new Accepted(id.toString()));
    }
}

package io.georep.examples.sms.demo;

import io.georep.examples.sms.simulator.PlainLogging;
import java.io.IOException;
import java.time.Duration;
import org.jsmpp.extra.NegativeResponseException;

/** Submits one message by SMPP, for trying the gateway without an SMPP client of one's own. */
public final class SubmitMain {
    private static final String USAGE = "Arguments: PORT FROM TO TEXT, for example 2781 GeoRep +31201234567 \"Hello\"\n"
            + "The password of the account 'client' is in the environment variable SMS_ACCOUNTS_CLIENT_PASSWORD.";
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private SubmitMain() {}

    /** Prints the message id, or why there is none; ends the process with exit code 1 in that case. */
    public static void main(String[] arguments) {
        PlainLogging.set();
        String password = System.getenv("SMS_ACCOUNTS_CLIENT_PASSWORD");
        if (arguments.length != 4 || password == null) {
            System.err.println(USAGE);
            System.exit(2);
        }
        int port = Integer.parseInt(arguments[0]);
        try (SmppClient client = SmppClient.bind(port, "client", password, ANSWER_WITHIN)) {
            System.out.println(
                    "submit_sm_resp: ESME_ROK, message id " + client.submit(arguments[1], arguments[2], arguments[3]));
        } catch (NegativeResponseException e) {
            System.err.printf("submit_sm_resp: command_status 0x%08x%n", e.getCommandStatus());
            System.exit(1);
        } catch (IOException e) {
            System.err.println("No answer: " + e.getMessage());
            System.exit(1);
        }
    }
}

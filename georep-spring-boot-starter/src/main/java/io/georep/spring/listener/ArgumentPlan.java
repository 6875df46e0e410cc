package io.georep.spring.listener;

import io.georep.model.EntryId;
import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.EntryHeader;
import io.georep.spring.MisuseException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * Decides once, at start-up, what each parameter of an annotated method gets. A parameter that is nothing else is the
 * payload; there is at most one.
 */
final class ArgumentPlan {
    /** What a call of the method is made for. */
    enum Kind {
        SINGLE,
        BATCH,
        ADOPTION
    }

    /** Takes one argument from the input of a call. */
    @FunctionalInterface
    interface Argument {
        @Nullable
        Object from(ListenerInput input);
    }

    private final Method method;
    private final Class<?> beanClass;
    private final Kind kind;
    private final AckMode ackMode;
    private final List<Argument> arguments = new ArrayList<>();
    private @Nullable ResolvableType payload;
    private boolean payloadSeen;
    private boolean acknowledgementSeen;

    ArgumentPlan(Method method, Class<?> beanClass, Kind kind, AckMode ackMode) {
        this.method = method;
        this.beanClass = beanClass;
        this.kind = kind;
        this.ackMode = ackMode;
        DefaultParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
        for (int i = 0; i < method.getParameterCount(); i++) {
            MethodParameter parameter = new MethodParameter(method, i).withContainingClass(beanClass);
            parameter.initParameterNameDiscovery(names);
            arguments.add(argument(parameter));
        }
        if (ackMode == AckMode.MANUAL && !acknowledgementSeen) {
            throw fault(
                    "ackMode is MANUAL, but no parameter takes the Acknowledgement: no entry would ever be forwarded",
                    "Add a parameter of type " + Acknowledgement.class.getName() + ", or leave ackMode out.");
        }
    }

    /** Returns the arguments in the order of the parameters. */
    List<Argument> arguments() {
        return List.copyOf(arguments);
    }

    /** Returns the type of payload the method expects. */
    ResolvableType payload() {
        if (payload == null) {
            throw fault(
                    "no parameter tells the type of the payload",
                    "Add a parameter for the payload, for example `" + example("Sms", "sms") + "` or `"
                            + example("Delivery<Sms>", "delivery") + "`.");
        }
        return payload;
    }

    private Argument argument(MethodParameter parameter) {
        ResolvableType type = ResolvableType.forMethodParameter(parameter);
        Class<?> raw = type.resolve(Object.class);
        EntryHeader header = parameter.getParameterAnnotation(EntryHeader.class);
        if (header != null) {
            return header(parameter, type, raw, header);
        }
        if (raw.getName().equals("kotlin.coroutines.Continuation")) {
            throw fault(
                    "it is a suspend function",
                    "Write an ordinary function that returns scope.future { … }: then the entry was forwarded when the coroutine"
                            + " ends normally.");
        }
        if (raw == Acknowledgement.class) {
            return acknowledgement(ListenerInput::acknowledgement);
        }
        if (raw == Adoption.class) {
            if (kind != Kind.ADOPTION) {
                throw fault(
                        "a listener is not told about adoptions",
                        "Move the Adoption parameter to a method with @OnAdoption; Delivery.adopted() tells a listener"
                                + " that an entry was adopted.");
            }
            payloadIs(generic(type, "Adoption"));
            return ListenerInput::adoptionOrFail;
        }
        return kind == Kind.BATCH ? batch(type, raw) : single(type, raw);
    }

    private Argument single(ResolvableType type, Class<?> raw) {
        if (raw == EntryId.class) {
            return input -> input.delivery().id();
        }
        if (raw == Delivery.class) {
            payloadIs(generic(type, "Delivery"));
            return ListenerInput::delivery;
        }
        Class<?> element = List.class.isAssignableFrom(raw) ? type.getGeneric(0).resolve(Object.class) : Object.class;
        if (element == Delivery.class || element == Acknowledgement.class) {
            throw fault(
                    "it takes a list of deliveries or acknowledgements, but the listener is not a batch listener",
                    "Write @OutboxListener(…, batch = true), or take a single one.");
        }
        onlyPayload(type);
        return input -> input.delivery().payload();
    }

    private Argument batch(ResolvableType type, Class<?> raw) {
        if (raw != List.class) {
            throw fault(
                    "a batch listener gets lists, not " + type,
                    "Take `" + example("List<Sms>", "messages") + "` or `"
                            + example("List<Delivery<Sms>>", "deliveries") + "`, or leave batch out.");
        }
        ResolvableType element = type.getGeneric(0);
        if (element.resolve(Object.class) == Delivery.class) {
            payloadIs(generic(element, "Delivery"));
            return ListenerInput::deliveries;
        }
        if (element.resolve(Object.class) == EntryId.class) {
            return input -> input.deliveries().stream().map(Delivery::id).toList();
        }
        if (element.resolve(Object.class) == Acknowledgement.class) {
            return acknowledgement(ListenerInput::acknowledgements);
        }
        onlyPayload(generic(type, "List"));
        return input ->
                input.deliveries().stream().<Object>map(Delivery::payload).toList();
    }

    private Argument acknowledgement(Argument argument) {
        if (kind == Kind.ADOPTION || ackMode != AckMode.MANUAL) {
            throw fault(
                    "it takes an Acknowledgement that there is not",
                    kind == Kind.ADOPTION
                            ? "Remove the parameter: adoptions are not acknowledged."
                            : "Write @OutboxListener(…, ackMode = AckMode.MANUAL), or remove the parameter.");
        }
        acknowledgementSeen = true;
        return argument;
    }

    private Argument header(MethodParameter parameter, ResolvableType type, Class<?> raw, EntryHeader header) {
        if (kind == Kind.BATCH) {
            throw fault(
                    "a batch has no headers of its own",
                    "Take `" + example("List<Delivery<Sms>>", "deliveries")
                            + "` and ask each delivery for its headers.");
        }
        if (raw == Map.class) {
            return input -> input.delivery().headers();
        }
        String name = header.value().isEmpty() ? parameter.getParameterName() : header.value();
        if (name == null) {
            throw fault(
                    "the name of a header is unknown, because the class was compiled without parameter names",
                    "Write @EntryHeader(\"name\"), or compile with -parameters.");
        }
        if (raw == Optional.class && type.getGeneric(0).resolve(Object.class) == String.class) {
            return input -> Optional.ofNullable(input.delivery().headers().get(name));
        }
        if (raw != String.class) {
            throw fault(
                    "header '" + name + "' is a text, not " + type,
                    "Declare the parameter as String, Optional<String> or Map<String, String>.");
        }
        boolean required = header.required();
        return input -> {
            String value = input.delivery().headers().get(name);
            if (value == null && required) {
                throw new IllegalArgumentException("entry " + input.delivery().id() + " has no header '" + name
                        + "', which " + method.getName() + " requires; it has "
                        + input.delivery().headers().keySet());
            }
            return value;
        };
    }

    private void onlyPayload(ResolvableType type) {
        if (payloadSeen) {
            throw fault(
                    "more than one parameter could be the payload: " + payload + " and " + type,
                    "Keep one, and mark headers with @EntryHeader.");
        }
        payloadSeen = true;
        payloadIs(type);
    }

    private void payloadIs(ResolvableType type) {
        if (type.hasUnresolvableGenerics() || type.resolve() == null) {
            throw fault(
                    "the type of the payload is not known: " + type,
                    "Write the class of the payload in place of type variables, for example Delivery<Sms>.");
        }
        ResolvableType before = payload;
        if (before != null && !before.toString().equals(type.toString())) {
            throw fault(
                    "its parameters disagree about the payload: " + before + " and " + type,
                    "Use the same type in all of them.");
        }
        payload = type;
    }

    private ResolvableType generic(ResolvableType type, String name) {
        if (!type.hasGenerics()) {
            throw fault(
                    name + " without its type says nothing about the payload",
                    "Write the type of the payload, for example " + name + "<Sms>.");
        }
        return type.getGeneric(0);
    }

    private String example(String type, String name) {
        return method.getName() + "(" + type + " " + name + ")";
    }

    MisuseException fault(String problem, String remedy) {
        return new MisuseException(method, problem, remedy);
    }

    @Override
    public String toString() {
        return beanClass.getName() + "." + method.getName();
    }
}

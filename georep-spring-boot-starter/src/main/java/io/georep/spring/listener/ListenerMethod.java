package io.georep.spring.listener;

import io.georep.spring.AckMode;
import io.georep.spring.MisuseException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** An annotated method of a bean, ready to be called. Thread-safe as far as the bean is. */
final class ListenerMethod {
    private final Object bean;
    private final Method method;
    private final List<ArgumentPlan.Argument> arguments;
    private final ResolvableType payload;
    private final boolean answersLater;
    private final String label;

    /**
     * Checks the signature.
     *
     * @param bean the object to call, possibly a proxy
     * @param declared the method of the bean's class
     * @param invocable the same method as it can be called on the bean
     * @throws MisuseException when it cannot be called with what a queue delivers
     */
    ListenerMethod(
            Object bean,
            Class<?> beanClass,
            Method declared,
            Method invocable,
            ArgumentPlan.Kind kind,
            AckMode ackMode) {
        ArgumentPlan plan = new ArgumentPlan(declared, beanClass, kind, ackMode);
        this.bean = bean;
        this.method = invocable;
        this.arguments = plan.arguments();
        this.payload = plan.payload();
        this.label = plan.toString();
        Class<?> answer = declared.getReturnType();
        this.answersLater = CompletionStage.class.isAssignableFrom(answer);
        if (answer != void.class && answer != Void.class) {
            checkAnswer(plan, answer, kind, ackMode);
        }
        ReflectionUtils.makeAccessible(invocable);
    }

    private void checkAnswer(ArgumentPlan plan, Class<?> answer, ArgumentPlan.Kind kind, AckMode ackMode) {
        if (!answersLater) {
            throw plan.fault(
                    "it returns " + answer.getName() + ", which would be ignored",
                    "Return void and throw an exception for a failure, or return a CompletionStage.");
        }
        if (kind != ArgumentPlan.Kind.SINGLE || ackMode == AckMode.MANUAL) {
            throw plan.fault(
                    "it returns a CompletionStage, which only a listener of single entries with ackMode AUTO may",
                    "Return void" + (ackMode == AckMode.MANUAL ? ": the Acknowledgement ends the entry." : "."));
        }
    }

    ResolvableType payload() {
        return payload;
    }

    /** Returns whether the method returns a stage. */
    boolean answersLater() {
        return answersLater;
    }

    /** Calls the method; returns what it returned. */
    @Nullable
    Object call(ListenerInput input) throws Exception {
        @Nullable Object[] values = new Object[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i).from(input);
        }
        try {
            return method.invoke(bean, values);
        } catch (InvocationTargetException e) {
            if (e.getTargetException() instanceof Exception thrown) {
                throw thrown;
            }
            if (e.getTargetException() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return label;
    }
}

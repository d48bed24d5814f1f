import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;

/** Sends the calls of calls.json with a client of openapi-generator and prints the answers. Argument: the service's URL. */
public class Calls {
  private static final String API = "org.openapitools.client.api.";
  private static final String SOURCES = "target/generated-sources/openapi/src/main/java/";
  private static final ObjectMapper JSON = 
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  record Call(
      String name, String operationId, String method, String pathname, JsonNode body, Map<String, String> path,
      Map<String, String> query, Map<String, String> headers, Map<String, String> parameterHeaders,
      Map<String, String> sentHeaders, boolean isJson, boolean direct) {

    /** The values of parameters by their names in Java, in small letters. */
    Map<String, String> values() {
      var values = new LinkedHashMap<String, String>();
      Stream.of(path, query, parameterHeaders).forEach(given -> given.forEach((name, value) ->
          values.put(name.replaceAll("\\W", "").toLowerCase(), value)));
      return values;
    }

    Object parsed(String text) throws JsonProcessingException {
      return isJson ? JSON.readTree(text) : text;
    }
  }

  record Answer(int status, Object data) {}

  /** The function of an operation that takes more headers, in whichever class its tag puts it. */
  static Method functionOf(String operationId) throws ClassNotFoundException {
    for (var file : new File(SOURCES + API.replace('.', '/')).list())
      for (var method : Class.forName(API + file.replace(".java", "")).getMethods()) {
        var last = method.getParameterCount() - 1;
        if (method.getName().equals(operationId) && last >= 0 && method.getParameterTypes()[last] == Map.class) return method;
      }
    throw new IllegalArgumentException("the client has no " + operationId);
  }

  static Answer send(ApiClient client, Call call) throws Exception {
    var function = functionOf(call.operationId);
    var values = call.values();
    var mapper = client.getObjectMapper();
    var arguments = Stream.of(function.getParameters()).<Object>map(parameter -> {
      var name = parameter.getName().toLowerCase();
      var type = mapper.constructType(parameter.getParameterizedType());
      if (parameter.getType() == Map.class) return call.headers;
      // Where the name is a word of Java's or the client's own, the generator writes param before it.
      var value = values.remove(values.containsKey(name) ? name : name.replaceFirst("^param", ""));
      if (value != null) return mapper.convertValue(value, type);
      return parameter.getType() == List.class ? mapper.convertValue(call.body, type) : null;
    }).toArray();
    if (!values.isEmpty()) throw new IllegalArgumentException(call.name + " has no " + values.keySet());
    var api = function.getDeclaringClass().getConstructor(ApiClient.class).newInstance(client);
    try {
      var data = function.invoke(api, arguments);
      return new Answer(client.getStatusCode(), mapper.valueToTree(data));
    } catch (InvocationTargetException thrown) {
      // Any status but 2xx. A client that cannot read an answer throws one with its status, too.
      if (!(thrown.getCause() instanceof ApiException exception) || exception.getCode() < 300) throw thrown;
      return new Answer(exception.getCode(), call.parsed(exception.getResponseBody()));
    }
  }

  static Answer sendDirectly(ApiClient client, Call call) throws Exception {
    var request = ClassicRequestBuilder.create(call.method.toUpperCase()).setUri(client.getBasePath() + call.pathname);
    call.sentHeaders.forEach(request::addHeader);
    if (call.body != null) request.setEntity(new StringEntity(call.body.asText(), StandardCharsets.UTF_8));
    return client.getHttpClient().execute(request.build(), response ->
        new Answer(response.getCode(), call.parsed(EntityUtils.toString(response.getEntity(), StandardCharsets.UTF_8))));
  }

  static Map<String, Answer> answers(CloseableHttpClient http, String serviceUrl) throws Exception {
    var answers = new LinkedHashMap<String, Answer>();
    var failures = new ArrayList<String>();
    for (var call : JSON.readValue(new File("calls.json"), new TypeReference<List<Call>>() {})) {
      var client = new ApiClient(http).setBasePath(serviceUrl);
      try {
        answers.put(call.name, call.direct ? sendDirectly(client, call) : send(client, call));
      } catch (Exception exception) {
        var cause = exception.getCause() == null ? exception : exception.getCause();
        failures.add(call.name + ": " + cause.toString().lines().findFirst().get());
      }
    }
    if (!failures.isEmpty()) throw new IllegalStateException(String.join("\n", failures));
    return answers;
  }

  public static void main(String[] arguments) throws Exception {
    try (var http = HttpClients.custom().disableRedirectHandling().build()) {
      System.out.println(JSON.writeValueAsString(answers(http, arguments[0])));
    }
  }
}
